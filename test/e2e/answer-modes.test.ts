import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AnswerReply, ExchangeHandler } from '../../src/core/handler.ts'
import { Closing } from '../support/closing.ts'
import { startEnvoy } from '../support/envoy.ts'
import type { Envoy } from '../support/envoy.ts'
import { ask } from '../support/extproc/ask.ts'
import { begin, editor, startScripted } from '../support/extproc/answering.ts'
import type { Flow, Route, Scripted } from '../support/extproc/answering.ts'
import { NO_EDITS, refusal } from '../support/extproc/handlers.ts'
import { stdEnvoyConfig } from '../support/extproc/std-envoy.ts'
import { lossesSince, NO_LOSS, readLosses } from '../support/losses.ts'
import type { Losses } from '../support/losses.ts'
import { freePorts } from '../support/ports.ts'
import { startProgram } from '../support/process.ts'
import type { Program } from '../support/process.ts'
import { scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'
import type { Answerer, Upstream } from '../support/upstream.ts'

/** Answers that a handler holds, changes or refuses, through the real Envoy with the configuration that we ship. */

const closing = new Closing()
let upstream: Upstream
let upstream2: Upstream
let folder: string
let socket: string
let scripted: Scripted
let envoy: Envoy
const flows: Flow[] = []

let before: Losses
let expected: Losses

beforeAll(async () => {
  folder = closing.add(await scratchFolder()).path
  socket = join(folder, 'p.sock')
  upstream = closing.add(await startUpstream('h1'))
  upstream2 = closing.add(await startUpstream('h2'))
  scripted = await startScripted(socket)
  closing.add({ close: () => scripted.close() })
  envoy = closing.add(await startShipped(folder, socket, 'secret'))
})
afterAll(() => closing.close())
beforeEach(async () => {
  before = await readLosses(envoy)
  expected = NO_LOSS
})
afterEach(async () => {
  for (const flow of flows.splice(0)) await flow.close()
  // The last counter may move a moment after the client has its answer.
  let seen = NO_LOSS
  await until('the counters to be as expected', async () => {
    seen = lossesSince(before, await readLosses(envoy))
    return JSON.stringify(seen) === JSON.stringify(expected) ? true : undefined
  }).catch(() => expect(seen, 'exchanges that were lost').toEqual(expected))
})

async function startShipped(place: string, processor: string, token?: string): Promise<Envoy> {
  const values = {
    agentPort: upstream.port,
    plumblineAdminPort: 1,
    plumblineSocket: processor,
    workload: 'tested',
    names: { 'upstream.test': upstream.port, 'upstream2.test': upstream2.port },
    tls: undefined,
    messageTimeoutMs: 2000,
  }
  return startEnvoy({ folder: place, values, ...(token === undefined ? {} : { token }) })
}

const ROUTES = {
  'HTTP/1': () => ({ client: 'h1', upstream, port: envoy.outboundPort, host: 'upstream.test' }),
  'HTTP/2': () => ({ client: 'h2', upstream: upstream2, port: envoy.outboundPort, host: 'upstream2.test' }),
  'HTTP/2 before HTTP/1': () => ({ client: 'h2', upstream, port: envoy.inboundPort, host: 'upstream.test' }),
} as const satisfies Record<string, () => Route>
type RouteName = keyof typeof ROUTES
const NAMES = Object.keys(ROUTES) as RouteName[]

async function flow(route: Route, headers: Readonly<Record<string, string>> = {}): Promise<Flow> {
  const begun = await begin(route)
  flows.push(begun)
  begun.out.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  return begun
}

/** To an HTTP/2 client, Envoy 1.36 ends a stream that was cut as if it were whole. */
function showsBreaks(route: RouteName): boolean {
  return route === 'HTTP/1' || !envoy.version.startsWith('1.36')
}

async function endingOf(act: () => void | Promise<void>): Promise<string | undefined> {
  const count = scripted.endings.length
  await act()
  return until('the handler to hear of the end', () => scripted.endings[count])
}

describe.each(NAMES)('held whole, %s', (name) => {
  const answer =
    (headers: Readonly<Record<string, string>>): Answerer =>
    (_arrival, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'x-kept': 'yes', ...headers })
      outgoing.write('{"some":')
      outgoing.end('"answer"}')
    }
  const ORIGINAL = '{"some":"answer"}'
  const SIZED = { 'content-length': String(ORIGINAL.length) }

  async function get(headers: Readonly<Record<string, string>>, reply: AnswerReply | Promise<AnswerReply>) {
    const shown: string[] = []
    scripted.handle({
      answerHead: () => ({ kind: 'whole' }),
      answerBody: async (raw) => {
        shown.push(Buffer.from(raw).toString())
        return reply
      },
    })
    const route: Route = ROUTES[name]()
    const begun = await begin(route)
    flows.push(begun)
    await answer(headers)({} as never, begun.out)
    return { got: await begun.got, shown }
  }

  describe.each([
    ['with its length', SIZED],
    ['without', {}],
  ])('%s', (_name, headers) => {
    test('goes on as it is', async () => {
      const { got, shown } = await get(headers, { kind: 'continue' })
      expect([got?.status, got?.text, shown]).toEqual([200, ORIGINAL, [ORIGINAL]])
    })

    test.each([
      ['longer', 'x'.repeat(100_000)],
      ['shorter', '{}'],
      ['as long', ORIGINAL.toUpperCase()],
      ['empty', ''],
    ])('becomes another that is %s', async (_what, body) => {
      const edits = { set: [['x-edited', 'yes']] as const, remove: ['x-kept'] }
      const { got } = await get(headers, { kind: 'replace', edits, body: Buffer.from(body) })
      expect([got?.status, got?.text]).toEqual([200, body])
      expect([got?.headers['x-edited'], got?.headers['x-kept']]).toEqual(['yes', undefined])
      if (headers === SIZED) expect(got?.headers['content-length']).toBe(String(body.length))
    })

    test('is refused: the client has our answer in its place', async () => {
      const { got } = await get(headers, { kind: 'refuse', answer: refusal('test.refused') })
      expect([got?.status, got?.text]).toEqual([403, '{"error":"test.refused"}'])
      expect(got?.headers['x-kept']).toBeUndefined()
    })
  })

  test('over the limit of what Envoy holds, nothing of it passes', async () => {
    scripted.handle({ answerHead: () => ({ kind: 'whole' }), answerBody: async () => ({ kind: 'continue' }) })
    const begun = await flow(ROUTES[name]())
    // An HTTP/2 client's limit is the window of its stream.
    begun.out.end(Buffer.alloc(name === 'HTTP/1' ? 11 * 1024 * 1024 : 17 * 1024 * 1024, 'x'))
    const got = await begun.got
    if (got?.status === 200) throw new Error(`${got.body.length} bytes passed`)
    expect(begun.text()).not.toContain('x'.repeat(10))
  })

  test('is refused at its head', async () => {
    scripted.handle({ answerHead: () => ({ kind: 'refuse', answer: refusal('test.refused') }) })
    const begun = await flow(ROUTES[name]())
    begun.out.end('SECRET')
    expect((await begun.got)?.text).toBe('{"error":"test.refused"}')
  })
})

describe('held whole, ended by trailers', () => {
  const ended = async (write: (out: Flow['out']) => void, handler: Partial<ExchangeHandler>) => {
    scripted.handle({ answerHead: () => ({ kind: 'whole' }), ...handler })
    const begun = await flow(ROUTES['HTTP/2']())
    begun.out.addTrailers({ 'x-last': 'yes' })
    write(begun.out)
    return begun.got
  }

  test('it goes on, trailers and all', async () => {
    const got = await ended((out) => out.end('body'), {})
    expect([got?.text, got?.trailers['x-last']]).toEqual(['body', 'yes'])
  })

  test('another body stands before the trailers', async () => {
    const answerBody = async (): Promise<AnswerReply> => ({
      kind: 'replace',
      edits: NO_EDITS,
      body: Buffer.from('other'),
    })
    const got = await ended((out) => out.end('body'), { answerBody })
    expect([got?.text, got?.trailers['x-last']]).toEqual(['other', 'yes'])
  })

  test('without a body there is nothing to replace: it is refused', async () => {
    const shown: number[] = []
    const answerBody = async (raw: Uint8Array): Promise<AnswerReply> => {
      shown.push(raw.length)
      return { kind: 'replace', edits: NO_EDITS, body: Buffer.from('other') }
    }
    const got = await ended((out) => out.end(), { answerBody })
    expect(shown).toEqual([0])
    expect([got?.status, got?.text]).toEqual([400, '{"error":"plumbline.unreadable"}'])
  })
})

describe.each(NAMES)('edited, %s', (name) => {
  async function edited(headers: Readonly<Record<string, string>> = {}) {
    const hand = editor()
    scripted.handle(hand.handler)
    return { hand, begun: await flow(ROUTES[name](), headers) }
  }
  const fedWith = (hand: ReturnType<typeof editor>, text: string) =>
    until(`the editor to have ${text}`, () => (hand.fed() === text ? true : undefined))

  test('each event passes before the next one is sent', async () => {
    const { begun } = await edited()
    let all = ''
    for (const event of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n', 'data: 4\n\n']) {
      all += event
      begun.out.write(event)
      await begun.reaches(all)
    }
    expect(await endingOf(async () => void begun.out.end())).toBe('complete')
    expect((await begun.got)?.text).toBe(all)
  })

  test('an answer that says its length may become longer', async () => {
    const { hand, begun } = await edited({ 'content-length': '4' })
    hand.keepFrom('b')
    begun.out.end('abcd')
    await begun.reaches('a')
    hand.release('another end')
    const got = await begun.got
    expect([got?.text, got?.headers['content-length']]).toEqual(['aanother end', undefined])
  })

  test('text before what is held passes at once, in the same piece too; what is held waits while more comes', async () => {
    const { hand, begun } = await edited()
    hand.keepFrom('CALL')
    begun.out.write('text CALL(')
    await begun.reaches('text ')
    begun.out.write('1) more')
    await fedWith(hand, 'text CALL(1) more')
    expect(begun.text()).toBe('text ')
    hand.release()
    await begun.reaches('text CALL(1) more')
    begun.out.end(' end')
    expect((await begun.got)?.text).toBe('text CALL(1) more end')
  })

  test('what is held is longer than Envoy would wait for an answer', async () => {
    const { hand, begun } = await edited()
    hand.keepFrom('CALL')
    begun.out.write('text CALL')
    await begun.reaches('text ')
    await new Promise((done) => setTimeout(done, 2500))
    hand.release()
    begun.out.end()
    expect((await begun.got)?.text).toBe('text CALL')
  })

  test('held past the end of the upstream, then replaced', async () => {
    const { hand, begun } = await edited()
    hand.keepFrom('CALL')
    begun.out.end('text CALL')
    await fedWith(hand, 'text CALL')
    await begun.reaches('text ')
    expect(await endingOf(() => hand.release('instead'))).toBe('complete')
    expect((await begun.got)?.text).toBe('text instead')
  })

  test('held until nothing is left of it', async () => {
    const { hand, begun } = await edited()
    hand.keepFrom('CALL')
    begun.out.end('CALL')
    await fedWith(hand, 'CALL')
    hand.release('')
    const got = await begun.got
    expect([got?.status, got?.text]).toEqual([200, ''])
  })

  test('a word of our own between two pieces', async () => {
    const { hand, begun } = await edited()
    begun.out.write('one ')
    await begun.reaches('one ')
    hand.sink().write(Buffer.from('ours '))
    await begun.reaches('one ours ')
    begun.out.end('two')
    expect((await begun.got)?.text).toBe('one ours two')
  })

  test('ended early: the client has a whole answer, the upstream is let go', async () => {
    const { hand, begun } = await edited()
    begun.out.write('one')
    await begun.reaches('one')
    const ending = await endingOf(() => hand.sink().end())
    expect([ending, (await begun.got)?.text]).toEqual(['complete', 'one'])
    await until('the upstream to be let go', () => (begun.released() ? true : undefined))
  })

  test('a burst while something is held loses no byte', async () => {
    const { hand, begun } = await edited()
    hand.keepFrom('CALL')
    begun.out.write('CALL')
    await fedWith(hand, 'CALL')
    const burst = Array.from({ length: 40 }, (_, i) => String(i % 10).repeat(100_000)).join('')
    begun.out.end(burst)
    await until('all to be held', () => (hand.fed().length === burst.length + 4 ? true : undefined))
    expect(begun.text()).toBe('')
    hand.release()
    expect((await begun.got)?.text === `CALL${burst}`).toBe(true)
  })

  test('broken off: what passed is there, no end is', async () => {
    expected = { ...NO_LOSS, streams_failed: 1 }
    const { hand, begun } = await edited()
    hand.keepFrom('CALL')
    begun.out.write('one CALL')
    await begun.reaches('one ')
    expect(await endingOf(() => hand.sink().abort())).toBe('failed')
    const got = await begun.got
    if (showsBreaks(name)) expect(got).toBeUndefined()
    expect(begun.text()).toBe('one ')
    await until('the upstream to be let go', () => (begun.released() ? true : undefined))
  })

  test('cut by the upstream while something is held: it never leaves', async () => {
    const { hand, begun } = await edited()
    hand.keepFrom('CALL')
    begun.out.write('one CALL')
    await begun.reaches('one ')
    expect(await endingOf(() => void begun.out.destroy())).toBe('gone')
    hand.release()
    const got = await begun.got
    if (showsBreaks(name)) expect(got).toBeUndefined()
    expect(begun.text()).toBe('one ')
  })

  test('the client leaves while something is held: the handler hears it, the upstream is let go', async () => {
    const { hand, begun } = await edited()
    hand.keepFrom('CALL')
    begun.out.write('one CALL')
    await begun.reaches('one ')
    expect(await endingOf(() => begun.close())).toBe('gone')
    await until('the upstream to be let go', () => (begun.released() ? true : undefined))
    hand.release()
  })
})

describe('edited, ended by trailers', () => {
  test.each([
    ['passed', undefined, 'one CALL'],
    ['replaced', 'instead', 'one instead'],
    ['dropped', '', 'one '],
  ])('what was held is %s, and the trailers follow', async (_what, instead, text) => {
    const hand = editor()
    scripted.handle(hand.handler)
    const begun = await flow(ROUTES['HTTP/2']())
    hand.keepFrom('CALL')
    begun.out.addTrailers({ 'x-last': 'yes' })
    begun.out.write('one CALL')
    await begun.reaches('one ')
    begun.out.end()
    expect(await endingOf(() => hand.release(instead))).toBe('complete')
    const got = await begun.got
    expect([got?.text, got?.trailers['x-last']]).toEqual([text, 'yes'])
  })

  test('what is held is longer than Envoy would wait for an answer to them', async () => {
    const hand = editor()
    scripted.handle(hand.handler)
    const begun = await flow(ROUTES['HTTP/2']())
    hand.keepFrom('CALL')
    begun.out.addTrailers({ 'x-last': 'yes' })
    begun.out.end('one CALL')
    await begun.reaches('one ')
    await new Promise((done) => setTimeout(done, 2500))
    hand.release()
    const got = await begun.got
    expect([got?.text, got?.trailers['x-last']]).toEqual(['one CALL', 'yes'])
  })
})

describe('the processor stops', () => {
  afterEach(async () => {
    scripted = await startScripted(socket)
  })

  test('while an answer is edited: what was held never leaves, no end is', async () => {
    expected = { ...NO_LOSS, streams_failed: 1 }
    const hand = editor()
    scripted.handle(hand.handler)
    const begun = await flow(ROUTES['HTTP/1']())
    hand.keepFrom('CALL')
    begun.out.write('one CALL')
    await begun.reaches('one ')
    expect(await endingOf(() => scripted.close())).toBe('failed')
    expect([await begun.got, begun.text()]).toEqual([undefined, 'one '])
  })

  test.each(['comes', 'is judged'])('while an answer to be held whole %s: it is refused', async (when) => {
    let asked = false
    scripted.handle({
      answerHead: () => ({ kind: 'whole' }),
      answerBody: () => {
        asked = true
        return new Promise(() => undefined)
      },
    })
    const begun = await flow(ROUTES['HTTP/1']())
    begun.out.write('SECRET')
    if (when === 'is judged') begun.out.end()
    await new Promise((done) => setTimeout(done, 200))
    expect(asked).toBe(when === 'is judged')
    expect(await endingOf(() => scripted.close())).toBe('refused')
    const got = await begun.got
    expect([got?.status, got?.text]).toEqual([503, '{"error":"plumbline.shutting_down"}'])
  })
})

describe('the processor is killed', () => {
  let holder: Program
  let other: Envoy
  const own = new Closing()
  beforeAll(async () => {
    const place = own.add(await scratchFolder()).path
    const itsSocket = join(place, 'p.sock')
    const program = ['--import', 'tsx', 'test/support/extproc/holder.ts', `unix:${itsSocket}`]
    holder = own.add(startProgram(process.execPath, program))
    await until('the holder to be ready', () => (holder.stdout.includes('ready') ? true : undefined))
    other = own.add(await startShipped(place, itsSocket, 'secret'))
  })
  afterAll(() => own.close())

  test('while it holds something: the client never gets it, nor an end', async () => {
    const start = await readLosses(other)
    const begun = await flow({ client: 'h1', upstream, port: other.outboundPort, host: 'upstream.test' })
    begun.out.write('one HOLD two')
    await begun.reaches('one ')
    await until('it to hold', () => (holder.stdout.includes('holding') ? true : undefined))
    begun.out.write('three')
    holder.kill('SIGKILL')
    expect(await begun.got).toBeUndefined()
    expect(begun.text()).toBe('one ')
    expect(lossesSince(start, await readLosses(other))).toEqual({
      ...NO_LOSS,
      streams_failed: 1,
      upstream_cx_destroy_remote_with_active_rq: 1,
    })
  })
})

describe('Envoy ignores the mode that we ask for', () => {
  let port = 0
  const own = new Closing()
  beforeAll(async () => {
    const place = own.add(await scratchFolder()).path
    ;[port = 0] = await freePorts(1)
    const said = [
      { key: 'x-plumbline-direction', value: 'inbound' },
      { key: 'x-plumbline-token', value: 'secret' },
    ]
    const filter = {
      allow_mode_override: false,
      grpc_service: { envoy_grpc: { cluster_name: 'gate' }, initial_metadata: said },
    }
    const config = stdEnvoyConfig({
      adminSocket: join(place, 'envoy-admin.sock'),
      processorSocket: socket,
      upstreamPort: upstream.port,
      listeners: [{ port, filter }],
    })
    const values = {
      agentPort: 1,
      plumblineAdminPort: 1,
      plumblineSocket: socket,
      workload: 'tested',
      names: {},
      tls: undefined,
      messageTimeoutMs: undefined,
    }
    own.add(await startEnvoy({ folder: place, values, change: () => config }))
  })
  afterAll(() => own.close())

  test.each([
    ['with its length', { 'content-length': '6' }],
    ['without', {}],
  ])('an answer that was to be edited fails, and nothing of it passes: %s', async (_name, headers) => {
    upstream.answer((_arrival, outgoing) => {
      outgoing.writeHead(200, headers)
      outgoing.end('SECRET')
    })
    scripted.handle({})
    expect(await ask(port)).toEqual({ status: 200, text: 'SECRET' })
    const hand = editor()
    scripted.handle(hand.handler)
    expect(await ask(port)).toEqual({ status: 503, text: '' })
    expect(hand.fed()).toBe('SECRET')
  })

  test('an answer that is held whole needs no mode', async () => {
    upstream.answer((_arrival, outgoing) => void outgoing.end('SECRET'))
    const body = Buffer.from('other')
    scripted.handle({
      answerHead: () => ({ kind: 'whole' }),
      answerBody: async () => ({ kind: 'replace', edits: NO_EDITS, body }),
    })
    expect(await ask(port)).toEqual({ status: 200, text: 'other' })
  })
})
