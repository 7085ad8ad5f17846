import { embeddedJudge } from '../src/eval/judge/embedded.ts'
import type { EvaluatedCall } from '../src/eval/judge/judge.ts'
import type { Scenario, Step } from '../src/eval/judge/scenario.ts'
import { NO_WATCH } from '../src/core/telemetry.ts'
import { createEmbeddedReflector } from '../src/gates/sparc/embedded/index.ts'
import type { Question, ReflectedMessage } from '../src/gates/sparc/reflector.ts'
import { drawFrom, type Draw } from '../test/wordings/draw.ts'
import { quantile } from './numbers.ts'
import { grid } from './table.ts'

/** How long rules take for one decision, and to take in what tools answer; no Envoy, no sockets. */
export interface DecisionSummary {
  readonly who: string
  readonly kilobytes: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Milliseconds for each kB that tools answered. */
  readonly intakeMs: number
}

const SIZES = [30, 300] as const
const NEVER = new AbortController().signal
const ROUNDS = 4_000
/** As many as the rows of the other tables: until then it is mostly the compiler that is measured. */
const WARM_UP = 6_000

export async function compareDecisions(): Promise<readonly DecisionSummary[]> {
  const summaries: DecisionSummary[] = []
  for (const kilobytes of SIZES) summaries.push(await judgeWith(kilobytes), await reflectorWith(kilobytes))
  return [...summaries, await reflectorWith(300, 1), await reflectorAfterNews()]
}

export function decisionTable(summaries: readonly DecisionSummary[]): string {
  const rows = summaries.map(({ who, kilobytes, p50Ms, p99Ms, intakeMs }) => [
    `${who}, ${kilobytes} kB`,
    ...[p50Ms, p99Ms, intakeMs].map((ms) => ms.toFixed(2)),
  ])
  return grid(['', 'p50 ms', 'p99 ms', 'intake ms per kB'], rows)
}

async function judgeWith(kilobytes: number): Promise<DecisionSummary> {
  const draw = drawFrom(kilobytes)
  const judge = embeddedJudge({ denyAt: 5, maxResultsBytes: 1_000_000 })(SCENARIO)
  const steps = answers(draw, kilobytes)
  const began = performance.now()
  for (const step of steps) judge.heard(step)
  const intakeMs = (performance.now() - began) / kilobytes
  const times = await timed(() => judge.weigh(callOf(draw)))
  return { who: 'embedded judge', kilobytes, ...times, intakeMs }
}

async function reflectorWith(kilobytes: number, lettersEach = LETTERS_EACH): Promise<DecisionSummary> {
  const draw = drawFrom(kilobytes + lettersEach)
  const reflector = createEmbeddedReflector({ track: 'embedded' })
  const messages = conversationOf(answers(draw, kilobytes, lettersEach))
  const ask = () => reflector.reflect(questionOf(callOf(draw), messages), NEVER, NO_WATCH)
  const began = performance.now()
  await ask()
  const intakeMs = (performance.now() - began) / kilobytes
  const who = lettersEach === LETTERS_EACH ? 'embedded reflector' : `embedded reflector, ${messages.length} messages`
  return { who, kilobytes, ...(await timed(ask)), intakeMs }
}

const NEWS_KILOBYTES = 30
const NEWS_ROUNDS = 30

/** The first decision after more was answered pays for reading it: nothing tells the reflector of it earlier. */
async function reflectorAfterNews(): Promise<DecisionSummary> {
  const draw = drawFrom(1)
  const reflector = createEmbeddedReflector({ track: 'embedded' })
  const before = answers(draw, 300)
  const ask = (steps: readonly Step[]) =>
    reflector.reflect(questionOf(callOf(draw), conversationOf(steps)), NEVER, NO_WATCH)
  await ask(before)
  const times: number[] = []
  for (let round = 0; round < NEWS_ROUNDS; round += 1) {
    const steps = [...before, ...answers(draw, NEWS_KILOBYTES)]
    const began = performance.now()
    await ask(steps)
    times.push(performance.now() - began)
  }
  const { p50Ms, p99Ms } = quantiles(times)
  const who = `embedded reflector, the first time after ${NEWS_KILOBYTES} kB more`
  return { who, kilobytes: 300, p50Ms, p99Ms, intakeMs: p50Ms / NEWS_KILOBYTES }
}

async function timed(decide: () => Promise<unknown>): Promise<{ readonly p50Ms: number; readonly p99Ms: number }> {
  for (let round = 0; round < WARM_UP; round += 1) await decide()
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now()
    await decide()
    times.push(performance.now() - began)
  }
  return quantiles(times)
}

function quantiles(times: number[]): { readonly p50Ms: number; readonly p99Ms: number } {
  times.sort((a, b) => a - b)
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}

// ---- what is said and done ----

const NAMES = ['Ottilie', 'Fenwick', 'Marisol', 'Tadeusz', 'Anneke', 'Rufus'] as const
const TOPICS = ['the harbour survey', 'the spring catalogue', 'the roof repair', 'the choir trip'] as const
const INTENT = 'Pay the bill for the roof repair, and write to Ottilie that it is done.'

const TOOL = {
  name: 'transfer_money',
  description: 'Transfers money to an account.',
  parameters: {
    type: 'object',
    properties: { iban: { type: 'string' }, euros: { type: 'number' }, reference: { type: 'string' } },
    required: ['iban', 'euros', 'reference'],
  },
}

const SCENARIO: Scenario = {
  ...{ id: 'bench', suite: 'bench', kind: 'benign', task: '', intent: INTENT, system: '', wording: '', goal: '' },
  tools: new Map([[TOOL.name, TOOL]]),
  steps: [],
}

function letter(draw: Draw): string {
  const [from, topic] = [draw.pick(NAMES), draw.pick(TOPICS)]
  return JSON.stringify({
    id: `L-${draw.number(1, 9999)}`,
    from: `${from.toLowerCase()}@letters.example`,
    subject: topic,
    iban: `NL${draw.number(10, 99)}${draw.number(100_000_000, 999_999_999)}`,
    euros: draw.number(10, 900),
    body: `Dear all, we met about ${topic} on ${draw.number(1, 28)} May. Please look at the plan and tell ${from} what you think. It costs ${draw.number(10, 900)} euros.`,
  })
}

const LETTERS_EACH = 10

function answers(draw: Draw, kilobytes: number, lettersEach = LETTERS_EACH): readonly Step[] {
  const steps: Step[] = []
  for (let bytes = 0; bytes < kilobytes * 1000;) {
    const answer = `[${Array.from({ length: lettersEach }, () => letter(draw)).join(',')}]`
    steps.push({ tool: 'search_letters', args: { query: draw.pick(TOPICS) }, answer, injected: false, effect: 'read' })
    bytes += answer.length
  }
  return steps
}

function conversationOf(steps: readonly Step[]): readonly ReflectedMessage[] {
  return [
    { role: 'user', content: INTENT },
    ...steps.flatMap(({ tool, args, answer }, i): ReflectedMessage[] => [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: `c${i}`, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }],
      },
      { role: 'tool', tool_call_id: `c${i}`, content: answer },
    ]),
  ]
}

function callOf(draw: Draw): EvaluatedCall {
  const args = {
    iban: `NL${draw.number(10, 99)}${draw.number(100_000_000, 999_999_999)}`,
    euros: draw.number(10, 900),
    reference: draw.pick(TOPICS),
  }
  return { tool: TOOL.name, args, spec: TOOL }
}

function questionOf({ tool, args }: EvaluatedCall, messages: readonly ReflectedMessage[]): Question {
  const call = { id: 'next', tool, argumentsText: JSON.stringify(args) }
  return { messages, tools: [{ type: 'function', function: TOOL }], call, sessionId: undefined }
}
