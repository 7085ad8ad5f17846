import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { ExchangeRecord } from '../../src/core/record.ts'
import { judgedChains } from '../support/chains.ts'
import { Closing } from '../support/closing.ts'
import { useStage } from '../support/e2e.ts'
import { completion, startJudge } from '../support/judge.ts'
import { a2aAnswer } from '../support/messages.ts'
import { startUpstream } from '../support/upstream.ts'
import type { Answerer } from '../support/upstream.ts'
import { until } from '../support/until.ts'
import { gaugeEnv, readFigures, readGauge } from './gauge.ts'
import { CONTEXTS, EXCHANGES_PER_TURN, takeTurns } from './users.ts'

const CLIENTS = 32
const ROUNDS = 3
const EXCHANGES_PER_ROUND = 10_000
const TURNS_PER_ROUND = Math.ceil(EXCHANGES_PER_ROUND / EXCHANGES_PER_TURN)
/** Between the heap at the end of the last two rounds. */
const FLAT = 0.05

const folder = mkdtempSync(join(tmpdir(), 'soak-'))
const socket = join(folder, 'gauge.sock')
const closing = new Closing()

const { stage } = useStage(async () => {
  const judge = closing.add(await startJudge())
  const upstream = closing.add(await startUpstream('h1', answerAll))
  return {
    config: judgedChains({
      judgeUrl: judge.url,
      mcp: { hosts: ['tools.test'] },
      inference: { hosts: ['model.test'] },
    }),
    names: { 'tools.test': upstream.port, 'model.test': upstream.port },
    env: gaugeEnv(socket),
  }
})

afterAll(async () => {
  await closing.close()
  rmSync(folder, { recursive: true, force: true })
})

const answerAll: Answerer = ({ path }, outgoing) => {
  const result = { content: [{ type: 'text', text: 'Three invoices were found.' }], isError: false }
  const body = path === '/mcp' ? JSON.stringify({ jsonrpc: '2.0', id: 1, result }) : completion('I call the tool.')
  outgoing.writeHead(200, { 'content-type': 'application/json' })
  outgoing.end(body)
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
    expectEachRecorded(await allRecords())
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

/** One record each; the tool calls judged; what goes out under a trace belongs to whom that trace came in for. */
function expectEachRecorded(records: readonly ExchangeRecord[]): void {
  expect(new Set(records.map(({ requestId }) => requestId)).size).toBe(ALL)
  expect(records.filter(({ invocations }) => invocations.some(({ reason }) => reason === 'aligned')).length).toBe(
    ALL / 3,
  )
  const spoken = new Map(records.filter((r) => r.direction === 'inbound').map((r) => [r.traceId, r.sessionId]))
  const astray = records.filter((r) => r.sessionId === undefined || r.sessionId !== spoken.get(r.traceId))
  expect(astray).toEqual([])
}
