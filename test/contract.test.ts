import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PLUGIN_TYPES } from '../src/cli/plugins.ts'
import { readConfig } from '../src/config/load.ts'
import type { ChainFacts, PluginType, Services } from '../src/config/plugin-type.ts'
import type { Body, Exchange } from '../src/core/exchange.ts'
import type { Gate, Parser, ReadResult, Reading } from '../src/core/plugin.ts'
import type { Answer, Refusal, Ruling } from '../src/core/ruling.ts'
import { isReadResult, isRuling, isRun } from '../src/pipeline/results.ts'
import { actions, bytes, copyOf, exchanges, refusals } from './support/contract/arbitraries.ts'
import { deeplyFrozen } from './support/contract/frozen.ts'
import { readmeOf, spellings } from './support/contract/readme.ts'
import { SAMPLES } from './support/contract/samples.ts'
import { toolCall } from './support/gates/kit.ts'
import { onItsWay } from './support/gates/sparc.ts'
import { answered, cut, exchangeOf } from './support/parsers/exchange.ts'

/*
 * What every plugin owes the pipeline and its readers, whatever it is about. A new plugin stands here by standing in
 * the list of its kind.
 */

const ENVIRONMENT = { LLM_ENDPOINT: 'http://judge.test', LLM_MODEL: 'm' }
const RUNS = { numRuns: 100 }

const services: Services = { log: { warn: () => undefined, error: () => undefined }, now: () => 0 }
const chain: ChainFacts = { direction: 'outbound', lentHosts: [], siblings: [] }

const sampleOf = ({ name }: PluginType) => SAMPLES[name] ?? {}
const configOf = (type: PluginType, config: object = sampleOf(type).config ?? {}) => type.schema.parse(config)
const named = (kind: PluginType['kind']) =>
  PLUGIN_TYPES.filter((type) => type.kind === kind).map((type) => [type.name, type] as const)

describe.each(PLUGIN_TYPES.map((type) => [type.name, type] as const))('%s', (name, type) => {
  const readme = readmeOf(type)
  const config = configOf(type) as Readonly<Record<string, unknown>>

  test('has a README that says what it is, what it refuses and where it ends', () => {
    expect(readme.text).toMatch(new RegExp(`^# ${name}: \\S`))
    expect(readme.text).toMatch(/^## What it refuses/m)
    expect(readme.text).toMatch(/^## Limits$/m)
    expect(readme.examples.length).toBeGreaterThan(1)
  })

  test.each(readme.examples)('has an example that loads: %s', (yaml) => {
    expect(readConfig(yaml, 'README.md', { environment: ENVIRONMENT, types: PLUGIN_TYPES })).toMatchObject({ ok: true })
  })

  test('has a table of every field, and of no other', () => {
    expect(readme.options.map(([field]) => field).sort()).toEqual(Object.keys(config).sort())
  })

  test.each(readme.options)('says the default of %s: %s', (field, written) => {
    const defaults = configOf(type, {}) as Readonly<Record<string, unknown>>
    const required = (type.check?.(defaults, chain) ?? []).some(({ path }) => path[0] === field)
    expect(spellings(defaults[field], required)).toContain(written)
  })

  test.each(Object.entries(type.codes))('has the code %s with its status in its README', (code, { status }) => {
    expect(code).toMatch(new RegExp(`^${name}\\.`))
    expect(readme.text).toContain(`| \`${code}\` | ${status} |`)
  })

  test('refuses every key that it does not know', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 12 }), fc.jsonValue(), (key, value) => {
        fc.pre(!Object.hasOwn(config, key) && key !== '__proto__')
        const given = { ...sampleOf(type).config, [key]: value }
        expect(type.schema.safeParse(given).error?.issues.map(({ path }) => path)).toEqual([[key]])
      }),
      { numRuns: 50 },
    )
  })

  test('reads any configuration without throwing', () => {
    const fields = fc.dictionary(fc.constantFrom(...Object.keys(config)), fc.jsonValue(), { maxKeys: 3 })
    fc.assert(
      fc.property(fc.oneof(fields, fc.jsonValue()), (given) => {
        const read = type.schema.safeParse(given)
        if (read.success) type.check?.(read.data, chain)
      }),
      RUNS,
    )
  })
})

describe.each(named('parser'))('%s as a parser', (_name, type) => {
  const parser = type.create(configOf(type), services, chain) as Parser

  test('reads any exchange: it is not its own, unreadable, or at least one action', () => {
    fc.assert(
      fc.property(exchanges, (x) => {
        const result = untouched(x, (frozen) => {
          expect(typeof parser.wantsExempt(frozen)).toBe('boolean')
          expect(typeof parser.isHome(frozen)).toBe('boolean')
          return parser.read(frozen, frozen.body)
        })
        expect(isReadResult(result)).toBe(true)
        const again = copyOf(x)
        expect(plain(parser.read(again, again.body))).toEqual(plain(result))
      }),
      RUNS,
    )
  })

  test('can say any no in the message’s own shape', () => {
    fc.assert(
      fc.property(exchanges, refusals, (x, no) => {
        const result = parser.read(x, x.body)
        if (result.kind === 'not-mine' || result.refuse === undefined) return
        expectWellFormed(result.refuse(no), no)
      }),
      RUNS,
    )
  })

  const heard = sampleOf(type).heard ?? []
  const readAnswer = (pieces: readonly Uint8Array[], contentType: string, how: 'complete' | 'cut', x: Exchange) => {
    const reader = parser.readAnswer(answered(x, contentType), reading(parser.read(x, x.body)))
    if (reader === undefined) return undefined
    const passing = pieces.flatMap((piece) => reader.feed(piece))
    const end = reader.end(how)
    return { lessons: [...passing, ...end.lessons], details: end.details }
  }

  test('has a sample of an answer that it hears', () => {
    expect(heard).not.toEqual([])
  })

  test.each(heard)('learns the same from an answer, however it is cut: $request.path', (sample) => {
    const { x } = exchangeOf(sample.request)
    const whole = Buffer.from(sample.answer)
    const expected = readAnswer([whole], sample.contentType, 'complete', x)
    expect(expected?.lessons).not.toEqual([])
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (places) => {
        expect(readAnswer(cut(whole, places), sample.contentType, 'complete', x)).toEqual(expected)
      }),
      RUNS,
    )
    const letters = Array.from(whole, (byte) => Uint8Array.of(byte))
    expect(readAnswer(letters, sample.contentType, 'complete', x)).toEqual(expected)
  })

  test('reads any answer to any request, however it is cut', () => {
    const types = fc.constantFrom('application/json', 'text/event-stream', 'x')
    const events = fc.array(bytes, { maxLength: 4 }).map((all) => Buffer.concat(all.flatMap(eventOf)))
    const hows = fc.constantFrom('complete' as const, 'cut' as const)
    const requests = fc.oneof(exchanges, fc.constantFrom(...heard.map(({ request }) => exchangeOf(request).x)))
    fc.assert(
      fc.property(requests, types, fc.oneof(bytes, events), fc.array(fc.nat()), hows, (x, type, whole, places, how) => {
        expect(readAnswer(cut(whole, places), type, how, x)).toEqual(readAnswer([whole], type, how, x))
      }),
      RUNS,
    )
  })
})

describe.each(named('gate'))('%s as a gate', (_name, type) => {
  const gate = type.create(configOf(type), services, chain) as Gate
  const judge = (asked: Gate, x: Exchange, action = toolCall('pay'), signal = new AbortController().signal) =>
    asked.judge(action, x, signal)

  test('rules on any action of any exchange, and the same way twice', async () => {
    await fc.assert(
      fc.asyncProperty(exchanges, actions, async (x, action) => {
        deeplyFrozen(action)
        const exempt = untouched(x, (frozen) => gate.exempt(frozen))
        expect(exempt === undefined || isRun(exempt)).toBe(true)
        const ruling = await untouched(x, (frozen) => judge(gate, frozen, action))
        expectDeclared(ruling, type)
        expect(askedAnew(await judge(gate, copyOf(x), action))).toEqual(askedAnew(ruling))
      }),
      RUNS,
    )
  })

  describe('whose judge never answers', () => {
    const { asking } = sampleOf(type)
    // Its user has asked for something, and its model was shown something: every gate has a question.
    const remembered = onItsWay()
    const silence = silentServer()
    const placed = (timeoutMs: number) => {
      if (asking === undefined) throw new Error(`test/support/contract/samples.ts does not say how ${type.name} asks`)
      return type.create(configOf(type, asking(silence.url(), timeoutMs)), services, chain) as Gate
    }

    test('refuses within its own time-out', async () => {
      const hanging = placed(100)
      expect(hanging.timeoutMs).toBe(100)
      const ruling = await judge(hanging, remembered)
      expect(ruling).toMatchObject({ allow: false, no: { status: 503 } })
      expectDeclared(ruling, type)
    })

    // Its own time-out is far beyond this test's: only the signal can end it.
    test('settles when nobody waits any more', async () => {
      const abort = new AbortController()
      const asked = silence.nextConnection()
      const ruling = judge(placed(600_000), remembered, toolCall('pay'), abort.signal)
      await asked
      abort.abort('gone')
      expect(
        await ruling.then(
          ({ allow }) => allow,
          () => false,
        ),
      ).toBe(false)
    })

    test('settles when nobody waited from the start', async () => {
      const ruling = judge(placed(600_000), remembered, toolCall('pay'), AbortSignal.abort('gone'))
      expect(
        await ruling.then(
          ({ allow }) => allow,
          () => false,
        ),
      ).toBe(false)
    })
  })
})

/** Does something with an exchange that cannot be changed; its bytes are compared afterwards. */
function untouched<T>(x: Exchange, work: (frozen: Exchange) => T): T {
  const frozen = deeplyFrozen(x)
  const before = bytesOf(frozen.body)
  const result = work(frozen)
  expect(bytesOf(frozen.body)).toEqual(before)
  return result
}

function bytesOf(body: Body): readonly string[] {
  if (body.kind === 'none' || body.kind === 'unread') return []
  const all = body.kind === 'whole' ? [body.raw, body.bytes] : [body.raw]
  return all.map((each) => Buffer.from(each).toString('latin1'))
}

const reading = (result: ReadResult): Reading | undefined => (result.kind === 'read' ? result : undefined)

/** A result without what cannot be compared. */
function plain(result: ReadResult): object {
  return Object.fromEntries(Object.entries(result).filter(([, value]) => typeof value !== 'function'))
}

const eventOf = (data: Uint8Array): readonly Uint8Array[] => [Buffer.from('data: '), data, Buffer.from('\n\n')]

/** What Envoy takes, and a client can read. */
function expectWellFormed(answer: Answer, no: Refusal): void {
  expect(answer.details).toBe(no.code)
  expect(answer.status).toBeGreaterThanOrEqual(200)
  expect(answer.status).toBeLessThanOrEqual(599)
  for (const [name, value] of answer.headers) {
    expect(name).toMatch(/^[a-z0-9-]+$/)
    expect(value).toMatch(/^[\x20-\x7e]*$/)
  }
  const bodyless = answer.status === 204 || answer.status === 304
  expect(answer.body.length > 0).toBe(!bodyless)
}

/** A ruling, less whether its verdict was at hand. */
function askedAnew({ run: { cached: _, ...run }, ...ruling }: Ruling): object {
  return { ...ruling, run }
}

/** A no has a code that the plugin's type lists, with the status that it lists. */
function expectDeclared(ruling: Ruling, type: PluginType): void {
  expect(isRuling(ruling)).toBe(true)
  if (!ruling.allow) expect(type.codes[ruling.no.code]?.status).toBe(ruling.no.status)
}

/** Takes connections and says nothing, for as long as the tests of the surrounding block run. */
function silentServer(): { url(): string; nextConnection(): Promise<void> } {
  let server: Server
  beforeAll(async () => {
    server = createServer((socket) => void socket.on('error', () => undefined).resume())
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  })
  afterAll(() => void server.close())
  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nextConnection: () => new Promise((done) => server.once('connection', () => done())),
  }
}
