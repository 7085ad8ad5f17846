import type { ServerResponse } from 'node:http'
import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Client, Got } from './clients.ts'
import type { StubJudge } from './judge.ts'
import { MCP_HEADERS, mcpCall } from './messages.ts'
import type { Stage } from './stage.ts'
import type { Answerer, Arrival } from './upstream.ts'
import { sayOk } from './upstream.ts'

/** An exchange with its record. */
export interface Recorded {
  readonly got: Got
  readonly record: ExchangeRecord
}

/** A user's request that the agent has received and not answered yet. */
export interface OpenTurn {
  readonly arrival: Arrival
  readonly handle: string | undefined
  readonly traceparent: string | undefined
  /** The agent answers; settles when the user has the answer and the exchange is recorded, so no longer in flight. */
  answer(json: string): Promise<Recorded>
  /** For an answer that is more than one piece of JSON. */
  answerBy(answerer: Answerer): Promise<Recorded>
}

/** What an agent hands on from the request that it works on. */
export type Carries = 'nothing' | 'the trace' | 'the handle'

/** One call of the agent, and what the judge was shown for it. */
export interface Call extends Recorded {
  /** For each question: the intents, newest first. */
  readonly shown: readonly (readonly string[])[]
}

export interface Said {
  /** Without one it is a GET. */
  readonly body?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Its own, where the connection matters. */
  readonly client?: Client
  readonly onPiece?: (piece: Buffer) => void
}

const TURN = 'x-test-turn'

/** Users and an agent whose every step a test decides. */
export interface ScriptedAgent {
  /** A user's request, until the agent has it. */
  open(said: Said): Promise<OpenTurn>
  /** A request that does not reach the agent, or whose answer does not matter. */
  send(said: Said): Promise<Recorded>
  /** The agent calls a tool for this turn. */
  call(turn: Pick<OpenTurn, 'handle' | 'traceparent'>, carries: Carries): Promise<Call>
  /** Ends what a test that failed left open, so that the next test does not fail for it. */
  hangUp(): void
}

export function scriptAgent(stage: Stage, judge: StubJudge): ScriptedAgent {
  const users = stage.client('h2', 'inbound')
  const agent = stage.client('h2', 'outbound')
  const waiting = new Map<string, (arrival: Arrival, outgoing: ServerResponse) => void>()
  const unanswered = new Set<ServerResponse>()
  let count = 0

  stage.agent.answer((arrival, outgoing) => {
    const take = waiting.get(headerOf(arrival, TURN) ?? '')
    if (take === undefined) return sayOk(arrival, outgoing)
    unanswered.add(outgoing)
    outgoing.once('close', () => unanswered.delete(outgoing))
    take(arrival, outgoing)
  })

  const ask = (said: Said, turn: string) =>
    (said.client ?? users).send({
      host: 'agent',
      ...(said.path ? { path: said.path } : {}),
      ...(said.body === undefined ? {} : { body: said.body }),
      headers: { ...MCP_HEADERS, ...said.headers, [TURN]: turn },
      ...(said.onPiece ? { onPiece: said.onPiece } : {}),
    })
  const recorded = async (got: Got): Promise<Recorded> => ({
    got,
    record: await stage.plumbline().record(got.requestId),
  })

  return {
    async open(said) {
      const turn = `turn-${(count += 1)}`
      const arrived = new Promise<{ arrival: Arrival; outgoing: ServerResponse }>((done) =>
        waiting.set(turn, (arrival, outgoing) => done({ arrival, outgoing })),
      )
      const sent = ask(said, turn)
      const early = sent.then((got) => Promise.reject(new Error(`answered before the agent did: ${got.text}`)))
      // Who opens a turn hears of its failure by `answer`, or by `early`.
      early.catch(() => undefined)
      const { arrival, outgoing } = await Promise.race([arrived, early])
      waiting.delete(turn)
      const answerBy = async (answerer: Answerer) => {
        await answerer(arrival, outgoing)
        return recorded(await sent)
      }
      return {
        arrival,
        handle: headerOf(arrival, 'x-plumbline-session'),
        traceparent: headerOf(arrival, 'traceparent'),
        answerBy,
        answer: (json) => answerBy(sayJson(json)),
      }
    },
    hangUp: () => {
      for (const outgoing of unanswered) outgoing.destroy()
    },
    send: async (said) => recorded(await ask(said, 'none')),
    async call(turn, carries) {
      const marker = `call-number-${(count += 1)}.`
      const body = mcpCall('do_it', { note: marker })
      const headers = { ...MCP_HEADERS, ...evidence(turn, carries) }
      const got = await agent.send({ host: 'upstream2.test', path: '/mcp', body, headers })
      const shown = judge.questions.filter(({ text }) => text.includes(marker)).map(({ text }) => intentsIn(text))
      return { ...(await recorded(got)), shown }
    },
  }
}

export function sayJson(json: string): Answerer {
  return (_arrival, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(json)
  }
}

/** All values of a header, joined as servers do; undefined when it is not there. */
export function headerOf(arrival: Arrival, name: string): string | undefined {
  const values = arrival.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

function evidence(
  { handle, traceparent }: Pick<OpenTurn, 'handle' | 'traceparent'>,
  carries: Carries,
): Readonly<Record<string, string>> {
  if (carries === 'the handle' && handle !== undefined) return { 'x-plumbline-session': handle }
  if (carries === 'the trace' && traceparent !== undefined) return { traceparent }
  return {}
}

/** What the user asked, as the question holds it between its marks. */
function intentsIn(question: string): readonly string[] {
  const between = /<<<USER (\S+)\n([\s\S]*?)\nUSER \1>>>/.exec(question)?.[2]
  if (between === undefined) throw new Error('The question shows no intents.')
  return JSON.parse(between) as readonly string[]
}
