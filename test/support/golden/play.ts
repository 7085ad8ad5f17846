import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { Direction, HeaderPair } from '../../../src/core/exchange.ts'
import type { Caller } from '../../../src/core/handler.ts'
import type { ExchangeRecord, Invocation } from '../../../src/core/record.ts'
import { duration } from '../../../src/config/fields.ts'
import type { Judging, StubJudge } from '../judge.ts'
import { allow, deny } from '../judge.ts'
import { a2aSend } from '../messages.ts'
import { approve, reject, rejectTool } from '../reflector.ts'
import type { Reflecting, StubReflector } from '../reflector.ts'
import type { Scene } from './scene.ts'
import type { Answered, Asking, Outcome, Refused, Side } from './sides.ts'
import { messageIn, Names } from './transcript.ts'
import type { Message, Step, Transcript } from './transcript.ts'

/** What the judge says when a transcript does not mention it. It must not be asked then. */
const UNASKED: Judging = () => ({ status: 500, body: 'nobody said that a judge would be asked' })

const JUDGES: Readonly<Record<string, Judging>> = {
  allow,
  deny,
  prose: () => ({ content: 'That is hard to say.' }),
  broken: () => ({ status: 500, body: '' }),
}

/** As for the judge. */
const UNREFLECTED: Reflecting = () => ({ status: 500 })

const REFLECTORS: Readonly<Record<string, Reflecting>> = {
  approve,
  reject: reject(),
  broken: () => ({ status: 500 }),
}

const SPELLINGS: Readonly<Record<string, (body: string) => Uint8Array>> = {
  gzip: (body) => gzipSync(body),
  'utf-16': (body) => Buffer.from(`\ufeff${body}`, 'utf16le'),
  'byte order mark': (body) => Buffer.from(`\ufeff${body}`),
}

export interface Scripted {
  readonly judge: StubJudge
  readonly reflector: StubReflector
}

/** Asks what a transcript asks, and compares what comes of it with what it says. */
export async function play(
  transcript: Transcript,
  scene: Scene,
  side: Side,
  { judge, reflector }: Scripted,
): Promise<void> {
  const names = new Names(transcript.said)
  const leave = await turnOf(transcript.user, scene, side)
  const open = new Map<string, Asking>()
  const outcomes = new Map<string, string>()
  /** What clients got of answers that no block has spoken of yet. */
  const unsaid = new Map<string, string>()
  const asking = (step: Step): Asking => {
    const found = open.get(step.exchange)
    if (found === undefined) throw new Error(`${step.kind} ${step.exchange} comes before its ask`)
    return found
  }
  for (const step of transcript.steps) {
    if (step.kind === 'ask') {
      const message = messageIn(names.filled(step.text))
      scene.later(passed(message))
      judge.judge(judging(message))
      reflector.reflect(reflecting(message))
      const exchange = side.open(callerOf(message))
      open.set(step.exchange, exchange)
      const id: HeaderPair = ['x-request-id', `r-${open.size}`]
      outcomes.set(step.exchange, outcomeText(await exchange.request([...headOf(message), id], bodyOf(message))))
    } else if (step.kind === 'reply') {
      const actual = outcomes.get(step.exchange) ?? 'nothing was asked'
      expect(actual).toBe(names.meets(step.text, actual))
    } else if (step.kind === 'answer') {
      const message = messageIn(names.filled(step.text))
      const [status = '', look] = message.first.split(', ')
      reflector.reflect(reflecting(message))
      const body = bodyOf(message)
      const answered = await asking(step).answer([[':status', status], ...message.headers], body)
      expect(answered.look).toBe(look)
      const got = gotText(answered, [[':status', status], ...message.headers], body)
      if (answered.look === 'read in passing' || answered.look === 'not shown') expect(got).toBe(AS_IT_CAME)
      else unsaid.set(step.exchange, got)
    } else if (step.kind === 'client') {
      const actual = unsaid.get(step.exchange) ?? 'no answer was looked into'
      unsaid.delete(step.exchange)
      expect(actual).toBe(names.meets(step.text.trimEnd(), actual))
    } else {
      asking(step).end()
      open.delete(step.exchange)
      const actual = recordText(await scene.nextRecord(), scene)
      expect(actual).toBe(names.meets(step.text, actual))
    }
  }
  expect([...open.keys()], 'exchanges without a record').toEqual([])
  expect([...unsaid.keys()], 'answers of which nobody says what the client gets').toEqual([])
  await leave()
}

/** A user's message to the agent, and how his turn ends. */
async function turnOf(text: string | undefined, scene: Scene, side: Side): Promise<() => Promise<void>> {
  if (text === undefined) return async () => undefined
  const turn = side.open({ direction: 'inbound', workload: 'agent', routesByHost: true })
  const head = { ':method': 'POST', ':scheme': 'http', ':authority': 'agent.test', ':path': '/' }
  const outcome = await turn.request(Object.entries(head), Buffer.from(a2aSend(text)))
  expect(outcome.kind).toBe('go on')
  return async () => {
    turn.end()
    await scene.nextRecord()
  }
}

function judging({ directives }: Message): Judging {
  const said = directives.get('judge')
  if (said === undefined) return UNASKED
  const found = JUDGES[said]
  if (found === undefined) throw new Error(`no judge is called ${said}`)
  return found
}

/** `approve`, `reject`, `reject tool`, `broken`. */
function reflecting({ directives }: Message): Reflecting {
  const said = directives.get('reflector')
  if (said === undefined) return UNREFLECTED
  const [word = '', tool] = said.split(' ')
  const found = word === 'reject' && tool !== undefined ? rejectTool(tool) : REFLECTORS[word]
  if (found === undefined) throw new Error(`no reflector is called ${said}`)
  return found
}

function passed({ directives }: Message): number {
  const written = directives.get('later')
  return written === undefined ? 0 : duration(0, Number.MAX_SAFE_INTEGER).parse(written)
}

/** `outbound POST http://host/path`, or without a direction. */
function callerOf({ first, directives }: Message): Caller | undefined {
  const [direction = ''] = first.split(' ')
  if (direction === 'nobody') return undefined
  return {
    direction: direction as Direction,
    workload: directives.get('workload') ?? 'agent',
    routesByHost: directives.get('routing') !== 'elsewhere',
  }
}

function headOf({ first, headers }: Message): readonly HeaderPair[] {
  const [, method = '', url = ''] = first.split(' ')
  const [, scheme = '', authority = '', path = ''] = /^(\w+):\/\/([^/]*)(.*)$/.exec(url) ?? []
  const pseudo = { ':method': method, ':scheme': scheme, ':authority': authority, ':path': path }
  return [...Object.entries(pseudo), ...headers]
}

function bodyOf({ body, directives }: Message): Uint8Array | undefined {
  if (body === undefined) return undefined
  const spelling = SPELLINGS[directives.get('sent') ?? ''] ?? ((text: string) => Buffer.from(text))
  return spelling(body)
}

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === 'go on') {
    const { edits, bodySeen } = outcome
    return [
      bodySeen ? 'go on, body seen' : 'go on',
      ...edits.set.map(([name, value]) => `set ${name}: ${value}`),
      ...edits.remove.map((name) => `remove ${name}`),
    ].join('\n')
  }
  return refusedText(outcome)
}

function refusedText({ status, code, headers, body }: Refused): string {
  return messageText(`refuse ${status} ${code}`, headers, body)
}

function messageText(first: string, headers: readonly HeaderPair[], body: string): string {
  return `${[first, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n')}\n\n${body}`.trimEnd()
}

const AS_IT_CAME = 'as it came'

/** What a client got of an answer. */
function gotText({ got }: Answered, sent: readonly HeaderPair[], sentBody: Uint8Array = new Uint8Array()): string {
  if (got.kind === 'refused') return refusedText(got)
  const same = Buffer.from(sentBody).equals(got.body) && JSON.stringify(sent) === JSON.stringify(got.headers)
  if (same) return AS_IT_CAME
  const [[, status] = ['', ''], ...headers] = got.headers
  return messageText(status, headers, Buffer.from(got.body).toString())
}

/** Who did what, and whose exchange it was: about the request, then about the answer, each in the order of the chain. */
function recordText(
  { direction, session, phase, invocations, plugins: verdicts = {} }: ExchangeRecord,
  { order }: Scene,
) {
  const plugins = [...(direction === 'unknown' ? [] : order[direction]), 'plumbline']
  const entries = (['request', 'response'] as const).flatMap((half) =>
    plugins.flatMap((id) =>
      invocations
        .filter((each) => each.plugin === id && each.phase === half)
        // Calls of one answer are ruled on at once.
        .sort((a, b) => (a.actionId ?? -1) - (b.actionId ?? -1))
        .map(entryText),
    ),
  )
  const whole = plugins.flatMap((id) => (verdicts[id] ?? []).map((verdict) => verdictText(id, verdict)).sort())
  return [`${phase}, session ${session.certainty}/${session.method}`, ...entries, ...whole].join('\n')
}

function verdictText(plugin: string, { actionId, ...said }: Readonly<Record<string, unknown>>): string {
  return `${plugin} #${String(actionId)} ${JSON.stringify(said)}`
}

function entryText({ plugin, action, reason, phase, actionId, shadow }: Invocation): string {
  return [
    `${plugin} ${action}/${reason}`,
    ...(actionId === undefined ? [] : [`#${actionId}`]),
    ...(phase === 'response' ? ['answer'] : []),
    ...(shadow === true ? ['shadow'] : []),
  ].join(' ')
}
