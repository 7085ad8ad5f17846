import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { acknowledging } from '../support/acks.ts'
import { a2aEvents, a2aResult, a2aStream, a2aTask } from '../support/a2a.ts'
import { judgedChains } from '../support/chains.ts'
import { useStage } from '../support/e2e.ts'
import { ackedEvents } from '../support/events.ts'
import { flowing, onFirstEvent } from '../support/flowing.ts'
import { completion, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, chatRequest, mcpCall, MCP_HEADERS } from '../support/messages.ts'
import { headerOf, scriptAgent } from '../support/scripted-agent.ts'
import type { Recorded, ScriptedAgent } from '../support/scripted-agent.ts'
import { sayOk, sha256 } from '../support/upstream.ts'
import type { Answerer, Arrival } from '../support/upstream.ts'

/** Answers that are read in passing: the client has every byte as it was sent, and the record says what was read. */

const KIB = 1024
const LIMIT = 256 * KIB

let judge: StubJudge
let script: ScriptedAgent

const { stage } = useStage(async () => {
  judge = await startJudge()
  const config = { ...judgedChains({ judgeUrl: judge.url }), listener: { max_body_bytes: LIMIT } }
  return { config }
})
beforeAll(() => (script = scriptAgent(stage(), judge)))
beforeEach(() => {
  stage().upstream.answer(sayOk)
  stage().upstream2.answer(sayOk)
})
afterEach(() => script.hangUp())
afterAll(() => judge.close())

/** What the record says that a parser read of the answer. */
const readBy = (plugin: string, { record }: Pick<Recorded, 'record'>) =>
  record.invocations.filter((entry) => entry.plugin === plugin && entry.phase === 'response')
const WHOLE = { action: 'observe', reason: 'read' }

const WORDS = ['The sun ', 'will ', 'shine.']
const chatEvents = [
  ...WORDS.map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
].map((event) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...event })}\n\n`)

/** Agents and models stand behind this; the protocol is the client's own. */
describe.each(['h1', 'h2'] as const)('%s', (protocol) => {
  const host = protocol === 'h1' ? 'upstream.test' : 'upstream2.test'
  const upstream = () => (protocol === 'h1' ? stage().upstream : stage().upstream2)
  const user = () => stage().client(protocol, 'inbound')
  const ask = async (answerer: Answerer, onPiece?: (piece: Buffer) => void): Promise<Recorded> => {
    upstream().answer(answerer)
    const got = await stage()
      .client(protocol, 'outbound')
      .send({
        host,
        path: '/v1/chat/completions',
        body: chatRequest('How is the weather?', { stream: true }),
        headers: { 'content-type': 'application/json' },
        ...(onPiece ? { onPiece } : {}),
      })
    return { got, record: await stage().plumbline().record(got.requestId) }
  }

  test('a streamed completion arrives event by event while it is read', async () => {
    const events = [...chatEvents, 'data: [DONE]\n\n']
    const stream = ackedEvents(events)
    const { got, record } = await ask(stream.answer, acknowledging(stream))
    expect(got.text).toBe(events.join(''))
    expect(readBy('inference-parser', { record })).toEqual([
      expect.objectContaining({ ...WHOLE, details: expect.objectContaining({ answer: 'events' }) as object }),
    ])
  })

  test('a streamed A2A answer arrives event by event while it is read', async () => {
    const names = { contextId: `c-events-${protocol}`, taskId: `t-events-${protocol}` }
    const events = a2aEvents(names, WORDS)
    const stream = ackedEvents(events)
    const turn = await script.open({
      body: a2aStream('How is the weather?', {}),
      client: user(),
      onPiece: acknowledging(stream),
    })
    const answered = await turn.answerBy(stream.answer)
    expect(answered.got.text).toBe(events.join(''))
    expect(readBy('a2a-parser', answered)).toEqual([
      expect.objectContaining({ ...WHOLE, details: { answer: 'events' } }),
    ])
  })

  test.each(['plain', 'gzip'] as const)(
    'the name that a streamed answer gives is known while the stream is open: %s',
    async (coding) => {
      const names = { contextId: `c-open-${protocol}-${coding}`, taskId: `t-open-${protocol}-${coding}` }
      const stream = flowing(coding, a2aEvents(names, WORDS))
      const first = signal()
      const onPiece = onFirstEvent(coding, first.give)
      const turn = await script.open({ body: a2aStream('Book a room.'), client: user(), onPiece })
      const streaming = turn.answerBy(stream.answer)
      await first.given

      // The client has the first event only: it knows the names, and speaks under them.
      const second = await script.open({ body: a2aSend('In Paris.', { contextId: names.contextId }), client: user() })
      const call = await script.call(second, 'the handle')
      const joined = await second.answer(a2aAnswer('Fine.', names.contextId))

      stream.finish()
      const { got, record } = await streaming
      expect(joined.record.session).toEqual({ method: 'context', certainty: 'exact' })
      expect(joined.record.sessionId).toBe(record.sessionId)
      expect(second.handle).toBe(turn.handle)
      expect(call.shown).toEqual([['In Paris.']])
      expect(sha256(got.body)).toBe(sha256(stream.bytes()))
      expect(readBy('a2a-parser', { record })).toEqual([
        expect.objectContaining({ ...WHOLE, details: { answer: 'events' } }),
      ])
    },
  )

  test('a compressed A2A answer stays compressed byte for byte, and is read', async () => {
    const contextId = `c-gzip-${protocol}`
    const bytes = gzipSync(a2aAnswer('Shall I book it?', contextId))
    const turn = await script.open({ body: a2aSend('Find a room.'), client: user() })
    const answered = await turn.answerBy(say('application/json', bytes, { 'content-encoding': 'gzip' }))
    expect(answered.got.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(bytes.length) })
    expect(sha256(answered.got.body)).toBe(sha256(bytes))
    expect(readBy('a2a-parser', answered)).toEqual([expect.objectContaining({ ...WHOLE, details: { answer: 'json' } })])

    // Its name and its question were heard.
    const yes = await script.open({ body: a2aSend('yes', { contextId }), client: user() })
    expect((await script.call(yes, 'the handle')).shown).toEqual([['Find a room.\nyes']])
    const { record } = await yes.answer(a2aAnswer('Done.', contextId))
    expect(record.sessionId).toBe(answered.record.sessionId)
  })

  test('a compressed completion stays compressed byte for byte, and is read', async () => {
    const bytes = gzipSync(completion('The sun will shine.'))
    const { got, record } = await ask(say('application/json', bytes, { 'content-encoding': 'gzip' }))
    expect([got.headers['content-encoding'], sha256(got.body)]).toEqual(['gzip', sha256(bytes)])
    expect(readBy('inference-parser', { record })).toEqual([
      expect.objectContaining({ ...WHOLE, details: expect.objectContaining({ answer: 'json' }) as object }),
    ])
  })

  describe('the limit', () => {
    /** A completion of exactly so many bytes. */
    const ofLength = (bytes: number) => {
      const empty = completion('').length
      return Buffer.from(completion('x'.repeat(bytes - empty)))
    }
    const bomb = Buffer.from(completion('x'.repeat(64 * LIMIT)))

    test.each([
      ['at the limit, read whole', ofLength(LIMIT), {}, false],
      ['a byte over it', ofLength(LIMIT + 1), {}, true],
      ['far over it', ofLength(64 * LIMIT), {}, true],
      ['over it once decoded', gzipSync(bomb), { 'content-encoding': 'gzip' }, true],
    ])('%s: all bytes arrive', async (_what, bytes, headers, truncated) => {
      const { got, record } = await ask(say('application/json', bytes, headers))
      expect([got.status, got.body.length, sha256(got.body)]).toEqual([200, bytes.length, sha256(bytes)])
      const [entry] = readBy('inference-parser', { record })
      expect(entry?.details?.['answer_truncated'] ?? false).toBe(truncated)
    })
  })

  test('an answer in a coding that nobody knows passes, and the record says that it was not read', async () => {
    const bytes = Buffer.from([1, 2, 3, 4])
    const { got, record } = await ask(say('application/json', bytes, { 'content-encoding': 'x-other' }))
    expect([got.status, sha256(got.body)]).toEqual([200, sha256(bytes)])
    expect(readBy('inference-parser', { record })).toEqual([
      expect.objectContaining({ details: expect.objectContaining({ answer_undecodable: true }) as object }),
    ])
  })

  test('an answer that breaks off has taught what it said, and the next one passes', async () => {
    const names = { contextId: `c-cut-${protocol}`, taskId: `t-cut-${protocol}` }
    const first = signal()
    const turn = await script.open({ body: a2aStream('Book a room.'), client: user(), onPiece: first.give })
    const cut = turn.answerBy(async (_arrival, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.write(a2aEvents(names, [])[0])
      await first.given
      outgoing.destroy()
    })
    const [outcome] = await Promise.allSettled([cut])
    // To an HTTP/2 client, Envoy 1.36 ends a stream that was cut as if it were whole.
    if (protocol === 'h1') expect(outcome.status).toBe('rejected')

    const record = await recordOf(turn.arrival)
    expect(record).toMatchObject({ phase: 'response', statusCode: 200, session: { method: 'new' } })
    expect(readBy('a2a-parser', { record })).toEqual([
      expect.objectContaining({ details: { answer: 'events', unread: 'cut' } }),
    ])
    const next = await script.open({ body: a2aSend('Again.', { contextId: names.contextId }), client: user() })
    const { record: joined } = await next.answer(a2aAnswer('Fine.', names.contextId))
    expect(joined.sessionId).toBe(record.sessionId)
  })

  test('a client that leaves in the middle is recorded, and its session is not in flight any more', async () => {
    const names = { contextId: `c-left-${protocol}`, taskId: `t-left-${protocol}` }
    const client = user()
    const first = signal()
    const turn = await script.open({ body: a2aStream('Book a room.'), client, onPiece: first.give })
    const stream = flowing('plain', a2aEvents(names, WORDS))
    turn.answerBy(stream.answer).catch(() => undefined)
    await first.given
    const inFlight = await figure('inFlight')
    await client.close()
    const record = await recordOf(turn.arrival)
    expect(readBy('a2a-parser', { record })).toEqual([
      expect.objectContaining({ details: { answer: 'events', unread: 'cut' } }),
    ])
    expect(await figure('inFlight')).toBe(inFlight - 1)
    stream.finish()
  })
})

test('a task that is watched: events of a poll are read, and the stream keeps its session in flight', async () => {
  const names = { contextId: 'c-watched', taskId: 't-watched' }
  const first = await script.open({ body: a2aSend('Book a room.') })
  const { record } = await first.answer(a2aResult(a2aTask(names, 'working')))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'w', method: 'tasks/resubscribe', params: { id: 't-watched' } })
  const events = a2aEvents(names, WORDS)
  const stream = ackedEvents(events)
  const watched = await script.open({ body, onPiece: acknowledging(stream) })
  const call = await script.call(watched, 'the trace')
  const answered = await watched.answerBy(stream.answer)
  expect(answered.got.text).toBe(events.join(''))
  expect(answered.record).toMatchObject({ sessionId: record.sessionId, session: { method: 'task' } })
  expect(call.shown).toEqual([['Book a room.']])
})

test('an answer that nobody reads streams all the same', async () => {
  const events = ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']
  const stream = ackedEvents(events)
  stage().upstream.answer(stream.answer)
  const got = await stage()
    .client('h1', 'outbound')
    .send({ host: 'upstream.test', path: '/feed', onPiece: acknowledging(stream) })
  expect(got.text).toBe(events.join(''))
})

test('what an MCP server streams arrives event by event', async () => {
  const result = { content: [{ type: 'text', text: 'sunny' }] }
  const events = [
    { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
    { id: 1, result },
  ].map((message) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  const stream = ackedEvents(events)
  stage().upstream.answer(stream.answer)
  const got = await stage()
    .client('h1', 'outbound')
    .send({
      host: 'upstream.test',
      path: '/mcp',
      body: mcpCall('get_weather', {}),
      headers: MCP_HEADERS,
      onPiece: acknowledging(stream),
    })
  expect(got.text).toBe(events.join(''))
})

function say(type: string, bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): Answerer {
  return (_arrival, outgoing) => {
    outgoing.writeHead(200, { 'content-type': type, 'content-length': bytes.length, ...headers })
    outgoing.end(bytes)
  }
}

/** Something that happens once and is waited for. */
function signal() {
  let give = (): void => undefined
  const given = new Promise<void>((done) => (give = done))
  return { give, given }
}

/** The record of an exchange whose client has no answer to read its id from. */
function recordOf(arrival: Arrival) {
  return stage()
    .plumbline()
    .record(headerOf(arrival, 'x-request-id') ?? '')
}

async function figure(name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${stage().adminPort}/readyz`)
  const { figures } = (await answer.json()) as { figures: Readonly<Record<string, number>> }
  return figures[name] ?? NaN
}
