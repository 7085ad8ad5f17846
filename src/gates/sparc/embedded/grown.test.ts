import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { functionTool, questionOf } from '../../../../test/support/gates/reflect.ts'
import { NO_WATCH } from '../../../core/telemetry.ts'
import type { ReflectedMessage } from '../reflector.ts'
import { Stocks, type StocksOptions } from './grounding/heard/stocks.ts'
import { createEmbeddedReflector } from './index.ts'

// Thousands of questions in one test, on whatever machine.
vi.setConfig({ testTimeout: 60_000 })

const NEVER = new AbortController().signal
const ROOMY: StocksOptions = { mostConversations: 10, mostCharacters: 1_000_000, mostUnused: 1_000_000 }

interface Call {
  readonly args: object
  readonly messages: readonly ReflectedMessage[]
  readonly sessionId?: string
}

const TOOL = functionTool('send_money', {
  type: 'object',
  properties: {
    iban: { type: 'string' },
    amount: { type: 'number' },
    date: { type: 'string' },
    to: { type: 'string' },
    note: { type: 'string' },
    speed: { type: 'string', enum: ['normal', 'express', 'instant'] },
    urgent: { type: 'boolean' },
  },
})

/** All that a verdict says but the time that it took. */
async function verdictOf(stocks: Stocks, { args, messages, sessionId }: Call): Promise<unknown> {
  const question = { ...questionOf({ tool: 'send_money', args, tools: [TOOL], messages }), sessionId }
  const verdict = await createEmbeddedReflector({ track: 'embedded' }, stocks).reflect(question, NEVER, NO_WATCH)
  return { ...verdict, executionMs: 0 }
}

function alone(call: Call): Promise<unknown> {
  return verdictOf(new Stocks(ROOMY), call)
}

const said = (role: string, content: string): ReflectedMessage => ({ role, content })
const result = (content: string, args: object): readonly ReflectedMessage[] => {
  const call = { id: 'c', type: 'function', function: { name: 'find', arguments: JSON.stringify(args) } } as const
  return [
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', content, tool_call_id: 'c' },
  ]
}
const APPROVED = { decision: 'approve' }
const REJECTED = { decision: 'reject' }
const PAY = said('user', 'Please pay the bill of the plumber')
const IBAN = { iban: 'NL91ABNA0417164300' }

describe('one conversation as it grows', () => {
  test('a value counts from the message on that says it, and not before it', async () => {
    const stocks = new Stocks(ROOMY)
    const later = [PAY, said('user', `It is ${IBAN.iban}`)]
    expect(await verdictOf(stocks, { args: IBAN, messages: [PAY] })).toMatchObject(REJECTED)
    expect(await verdictOf(stocks, { args: IBAN, messages: later })).toMatchObject(APPROVED)
    expect(await verdictOf(stocks, { args: IBAN, messages: [PAY] })).toMatchObject(REJECTED)
  })

  test("the model's words count when its user has answered them", async () => {
    const stocks = new Stocks(ROOMY)
    const asked = [PAY, said('assistant', `To ${IBAN.iban}?`)]
    expect(await verdictOf(stocks, { args: IBAN, messages: asked })).toMatchObject(REJECTED)
    expect(await verdictOf(stocks, { args: IBAN, messages: [...asked, said('user', 'Yes please')] })).toMatchObject(
      APPROVED,
    )
  })

  test('a conversation that goes another way has nothing of the first', async () => {
    const stocks = new Stocks(ROOMY)
    const one = [PAY, ...result(`{"iban":"${IBAN.iban}"}`, { of: 'plumber' }), said('user', 'Go on')]
    const other = [PAY, ...result('{"iban":"DE89370400440532013000"}', { of: 'plumber' }), said('user', 'Go on')]
    expect(await verdictOf(stocks, { args: IBAN, messages: one })).toMatchObject(APPROVED)
    expect(await verdictOf(stocks, { args: IBAN, messages: other })).toMatchObject(REJECTED)
    expect(await verdictOf(stocks, { args: IBAN, messages: one })).toMatchObject(APPROVED)
  })

  test.each([
    ['session', PAY],
    ['beginning', said('user', 'Please pay the bill of the baker')],
  ])('another %s has nothing of it', async (_, first) => {
    const stocks = new Stocks(ROOMY)
    const messages = [PAY, said('user', `It is ${IBAN.iban}`)]
    expect(await verdictOf(stocks, { args: IBAN, messages, sessionId: 'one' })).toMatchObject(APPROVED)
    expect(await verdictOf(stocks, { args: IBAN, messages: [first], sessionId: 'two' })).toMatchObject(REJECTED)
  })

  test('the same text is of whoever says it', async () => {
    const stocks = new Stocks(ROOMY)
    const text = `The account is ${IBAN.iban}`
    const byTool = [PAY, ...result(text, { of: 'plumber' })]
    const provenance = { notes: [expect.objectContaining({ provenance: 'tool' })] }
    expect(await verdictOf(stocks, { args: IBAN, messages: byTool })).toMatchObject(provenance)
    expect(await verdictOf(stocks, { args: IBAN, messages: [PAY, said('user', text)] })).toMatchObject({ notes: [] })
    expect(await verdictOf(stocks, { args: IBAN, messages: byTool })).toMatchObject(provenance)
    expect(await verdictOf(stocks, { args: IBAN, messages: [PAY, said('assistant', text)] })).toMatchObject(REJECTED)
  })

  test('the same result is no evidence where its call had the value', async () => {
    const stocks = new Stocks(ROOMY)
    const text = `No account ${IBAN.iban}`
    expect(await verdictOf(stocks, { args: IBAN, messages: [PAY, ...result(text, { of: 'plumber' })] })).toMatchObject(
      APPROVED,
    )
    expect(await verdictOf(stocks, { args: IBAN, messages: [PAY, ...result(text, IBAN)] })).toMatchObject(REJECTED)
  })

  test('the near value is of the message that said it last', async () => {
    const stocks = new Stocks(ROOMY)
    const near = `NL91ABNA0417164301`
    const one = [PAY, said('user', near), ...result(near, { of: 'plumber' })]
    const other = [PAY, ...result(near, { of: 'plumber' }), said('user', near)]
    for (const [messages, by] of [
      [one, "a tool's result"],
      [other, "the user's words"],
    ] as const) {
      const issues = [expect.objectContaining({ explanation: expect.stringContaining(`Near it, in ${by}`) as string })]
      expect(await verdictOf(stocks, { args: IBAN, messages })).toMatchObject({ issues })
    }
  })

  test('hundreds of small messages', async () => {
    const stocks = new Stocks(ROOMY)
    const messages: ReflectedMessage[] = [PAY]
    for (let at = 0; at < 600; at++) {
      messages.push(...result(`{"iban":"NL${10_000 + at}X"}`, { page: at }))
      if (at % 50 !== 0) continue
      const grown = [...messages]
      expect(await verdictOf(stocks, { args: { iban: `NL${10_000 + at}X` }, messages: grown })).toMatchObject(APPROVED)
      expect(await verdictOf(stocks, { args: { iban: `NL${10_001 + at}X` }, messages: grown })).toMatchObject(REJECTED)
    }
    expect(stocks.stats().conversations).toBe(1)
  })
})

describe('what is kept is bounded', () => {
  const conversation = (name: string): readonly ReflectedMessage[] => [said('user', `${name} ${'x'.repeat(95)}`)]

  test.each<[string, Partial<StocksOptions>, number]>([
    ['conversations', { mostConversations: 3 }, 3],
    ['characters', { mostCharacters: 450 }, 4],
  ])('in %s, and what was forgotten is read again', async (_, options, kept) => {
    const stocks = new Stocks({ ...ROOMY, ...options })
    for (const name of ['ANN1', 'BEN2', 'CAT3', 'DAN4', 'EVE5', 'ANN1']) {
      expect(await verdictOf(stocks, { args: { iban: name }, messages: conversation(name) })).toMatchObject(APPROVED)
      expect(stocks.stats().conversations).toBeLessThanOrEqual(kept)
    }
    expect(stocks.stats()).toEqual({ conversations: kept, characters: kept * 100 })
  })

  test('one that is larger than all may be is kept alone', async () => {
    const stocks = new Stocks({ ...ROOMY, mostCharacters: 50 })
    for (const name of ['ANN1', 'BEN2'])
      expect(await verdictOf(stocks, { args: { iban: name }, messages: conversation(name) })).toMatchObject(APPROVED)
    expect(stocks.stats()).toEqual({ conversations: 1, characters: 100 })
  })

  test('in what a conversation no longer has', async () => {
    const stocks = new Stocks({ ...ROOMY, mostUnused: 100 })
    for (let at = 0; at < 20; at++) {
      const messages = [PAY, ...result(`AB-${1000 + at} ${'y'.repeat(42)}`, {})]
      expect(await verdictOf(stocks, { args: { iban: `AB-${1000 + at}` }, messages })).toMatchObject(APPROVED)
      expect(await verdictOf(stocks, { args: { iban: `AB-${999 + at}` }, messages: [...messages] })).toMatchObject(
        REJECTED,
      )
      expect(stocks.stats().characters).toBeLessThanOrEqual(PAY.content.length + 2 + 50 + 100)
    }
  })
})

describe('whatever was asked before, the verdict is that of the conversation alone', () => {
  const value = fc.constantFrom(
    ...['NL91ABNA0417164300', 'NL91ABNA0417164301', 'ann@x.com', 'ann.lee@x.com', '120', '1,250', '12:30', 'express'],
    ...[
      'tomorrow',
      'May 3',
      '2026-05-03',
      'today is 2026-05-02',
      'the roof repair',
      'repairing',
      'roofs',
      '屋顶维修',
      'instant',
    ],
    ...['three', 'half of it', 'plus', 'in total', 'no, make it 45', 'A.B.', 'Anna Bell', 'not urgent'],
  )
  const content = fc.array(value, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' and '))
  const message: fc.Arbitrary<readonly ReflectedMessage[]> = fc.oneof(
    fc
      .tuple(fc.constantFrom('user', 'user', 'system', 'assistant', 'other'), content)
      .map(([role, text]) => [said(role, text)]),
    fc
      .tuple(content, fc.dictionary(fc.constantFrom('q', 'id'), value, { maxKeys: 1 }))
      .map(([text, args]) => result(text, args)),
  )
  const args = fc.record(
    {
      iban: value,
      amount: fc.constantFrom(45, 60, 120, 1250, 3, 0.5),
      date: fc.constantFrom('2026-05-03', '2026-05-04', '12:30', 'May 3'),
      to: value,
      note: content,
      speed: fc.constantFrom('normal', 'express', 'instant'),
      urgent: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  /** How the next conversation comes from the one before. */
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('more' as const), parts: fc.array(message, { maxLength: 3 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cut', 'drop', 'again'), at: fc.nat(10) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('other' as const),
        at: fc.nat(10),
        parts: fc.array(message, { minLength: 1, maxLength: 1 }),
      }),
    },
  )
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

  function next(before: readonly ReflectedMessage[], each: Step): readonly ReflectedMessage[] {
    switch (each.kind) {
      case 'more':
        return [...before, ...each.parts.flat()]
      case 'other':
        return [...before.slice(0, each.at), ...each.parts.flat(), ...before.slice(each.at + 1)]
      case 'cut':
        return before.slice(0, each.at)
      case 'drop':
        return before.filter((_, at) => at !== each.at)
      default:
        // As the next request brings them: other objects of the same content.
        return structuredClone(before)
    }
  }

  test.each<[string, StocksOptions]>([
    ['with all that it needs', ROOMY],
    ['in little memory', { mostConversations: 1, mostCharacters: 60, mostUnused: 30 }],
  ])('%s', async (_, options) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 8 }),
        fc.array(args, { minLength: 2 }),
        async (steps, calls) => {
          const stocks = new Stocks(options)
          let messages: readonly ReflectedMessage[] = [PAY]
          for (const [at, each] of steps.entries()) {
            messages = next(messages, each)
            const call = { args: calls[at % calls.length] ?? {}, messages, sessionId: at % 3 === 0 ? 'one' : 'two' }
            expect(await verdictOf(stocks, call)).toEqual(await alone(call))
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
