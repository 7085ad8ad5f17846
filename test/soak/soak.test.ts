import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { ExchangeRecord } from '../../src/core/record.ts'
import { judgedChains } from '../support/chains.ts'
import { Closing } from '../support/closing.ts'
import { useStage } from '../support/e2e.ts'
import { chat } from '../support/completions/chat.ts'
import { answerWith } from '../support/completions/dialects.ts'
import { startJudge } from '../support/judge.ts'
import { a2aAnswer } from '../support/messages.ts'
import { rejectTool, startReflector } from '../support/reflector.ts'
import type { StubReflector } from '../support/reflector.ts'
import { startUpstream } from '../support/upstream.ts'
import type { Answerer } from '../support/upstream.ts'
import { until } from '../support/until.ts'
import { gaugeEnv, readFigures, readGauge } from './gauge.ts'
import { CONTEXTS, EXCHANGES_PER_TURN, inventionsIn, takeTurns, turnFor } from './users.ts'

const CLIENTS = 32
const ROUNDS = 3
const EXCHANGES_PER_ROUND = 10_000
const TURNS_PER_ROUND = Math.ceil(EXCHANGES_PER_ROUND / EXCHANGES_PER_TURN)
/** Between the heap at the end of the last two rounds. */
const FLAT = 0.05
/** For all that is held at once. What is not given back runs into it long before the end. */
const HELD_BYTES = 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'soak-'))
const socket = join(folder, 'gauge.sock')
const closing = new Closing()

let reflector: StubReflector
const { stage } = useStage(async () => {
  const judge = closing.add(await startJudge())
  reflector = closing.add(await startReflector())
  reflector.reflect(rejectTool('refund'))
  const upstream = closing.add(await startUpstream('h1', answerAll))
  const { pipeline } = judgedChains({
    judgeUrl: judge.url,
    mcp: { hosts: ['tools.test'] },
    inference: { hosts: ['model.test'] },
  })
  const sparc = (id: string, enforcement: string) => ({
    ...{ name: 'sparc', id },
    config: { reflector_endpoint: reflector.url, enforcement, fail_policy: 'closed', cache_ttl_ms: 3_600_000 },
  })
  const gates = [sparc('sparc-calls', 'mcp'), sparc('sparc-answers', 'inference')]
  return {
    config: {
      listener: { max_body_bytes: HELD_BYTES / 2, max_receive_bytes: HELD_BYTES, max_bodies_bytes: HELD_BYTES },
      pipeline: { ...pipeline, outbound: { plugins: [...(pipeline.outbound?.plugins ?? []), ...gates] } },
    },
    names: { 'tools.test': upstream.port, 'model.test': upstream.port },
    env: gaugeEnv(socket),
  }
})

afterAll(async () => {
  await closing.close()
  rmSync(folder, { recursive: true, force: true })
})

const answerModel = answerWith(chat, ({ messages }) => turnFor(String(messages[0]?.content)))

const answerAll: Answerer = (arrival, outgoing) => {
  if (arrival.path !== '/mcp') return answerModel(arrival, outgoing)
  const result = { content: [{ type: 'text', text: 'Three invoices were found.' }], isError: false }
  outgoing.writeHead(200, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
}

/** The agent answers in the conversation that it was asked in. */
const answerUser: Answerer = ({ body }, outgoing) => {
  const asked = JSON.parse(body.toString('utf8')) as { params: { message: { contextId: string } } }
  outgoing.writeHead(200, { 'content-type': 'application/json' })
  outgoing.end(a2aAnswer('Here they are.', asked.params.message.contextId))
}

describe(`${ROUNDS * EXCHANGES_PER_ROUND} exchanges as fast as ${CLIENTS} clients can send them`, () => {
  test('lose no exchange, and leave nothing behind', async () => {
    stage().agent.answer(answerUser)
    const before = await readGauge(socket)
    const heaps: number[] = []
    for (let round = 1; round <= ROUNDS; round += 1) {
      await takeTurns(stage(), CLIENTS, TURNS_PER_ROUND)
      await quiet()
      const { heapBytes } = await readGauge(socket)
      heaps.push(heapBytes)
      console.log(`${round * EXCHANGES_PER_ROUND} exchanges: ${(heapBytes / 1e6).toFixed(1)} MB of heap in use`)
    }

    const [last = NaN, beforeLast = NaN] = heaps.toReversed()
    expect(Math.abs(last - beforeLast) / beforeLast, `heaps ${heaps.join(', ')}`).toBeLessThan(FLAT)
    const { sessions, inFlight, openStreams, bodyBytes } = await readFigures(stage().adminPort)
    expect({ sessions, inFlight, openStreams, bodyBytes }).toEqual({
      sessions: CONTEXTS,
      inFlight: 0,
      openStreams: 0,
      bodyBytes: 0,
    })
    const timers = await until('timers of exchanges to end', async () => {
      const { timers } = await readGauge(socket)
      return timers <= before.timers ? timers : undefined
    })
    expect(timers).toBe(before.timers)
    const records = await allRecords()
    expectEachRecorded(records)
    expectEachRuled(records)
  })
})

/** No exchange is open any more; a stream ends a moment after the client has its answer. */
async function quiet(): Promise<void> {
  await until('all streams to end', async () => {
    const { openStreams, inFlight } = await readFigures(stage().adminPort)
    return openStreams === 0 && inFlight === 0 ? true : undefined
  })
}

const ALL = ROUNDS * TURNS_PER_ROUND * EXCHANGES_PER_TURN

async function allRecords(): Promise<readonly ExchangeRecord[]> {
  const { program, records } = stage().plumbline()
  await until(`${ALL} records`, () => (program.stdout.length >= ALL ? true : undefined))
  return records()
}

/** One record each; what goes out under a trace belongs to whom that trace came in for. */
function expectEachRecorded(records: readonly ExchangeRecord[]): void {
  expect(new Set(records.map(({ requestId }) => requestId)).size).toBe(ALL)
  const spoken = new Map(records.filter((r) => r.direction === 'inbound').map((r) => [r.traceId, r.sessionId]))
  const astray = records.filter((r) => r.sessionId === undefined || r.sessionId !== spoken.get(r.traceId))
  expect(astray).toEqual([])
}

/** Every call was ruled on, where it was proposed and where it was made, and most verdicts were known already. */
function expectEachRuled(records: readonly ExchangeRecord[]): void {
  const entries = records.flatMap(({ invocations }) => invocations)
  const counted = (plugin: string, reason: string) =>
    entries.filter((entry) => entry.plugin === plugin && entry.reason === reason).length
  const turns = ROUNDS * TURNS_PER_ROUND
  const inventions = ROUNDS * inventionsIn(TURNS_PER_ROUND)
  expect({
    judged: counted('ibac', 'aligned'),
    made: { approved: counted('sparc-calls', 'approved'), reflected: counted('sparc-calls', 'reflected') },
    proposed: { approved: counted('sparc-answers', 'approved'), reflected: counted('sparc-answers', 'reflected') },
  }).toEqual({
    judged: turns,
    made: { approved: turns - inventions, reflected: inventions },
    proposed: { approved: turns, reflected: inventions },
  })
  expect(reflector.questions.length).toBeGreaterThanOrEqual(CONTEXTS)
  expect(reflector.questions.length).toBeLessThan(5 * CONTEXTS)
}
