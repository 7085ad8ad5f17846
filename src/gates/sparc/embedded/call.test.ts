import { describe, expect, test } from 'vitest'
import { functionTool, issuesOf, reflect, type Asked } from '../../../../test/support/gates/reflect.ts'
import type { ReflectedMessage } from '../reflector.ts'

const said = (role: string, content: string): ReflectedMessage => ({ role, content })

async function findingsOf(args: object, user: string, properties: object = {}): Promise<readonly unknown[]> {
  const all = Object.fromEntries(Object.keys(args).map((name) => [name, {}]))
  return (await issuesOf({ args, properties: { ...all, ...properties }, user })).map(({ finding }) => finding)
}

describe('format_mismatch', () => {
  test.each<[string, string, string, boolean]>([
    ['the form that is asked for', 'Date as YYYY-MM-DD', '2026-03-04', false],
    ['another form', 'Date as YYYY-MM-DD', '03/04/2026', true],
    ['a word', 'Date as YYYY-MM-DD', 'tomorrow', true],
    ['slashes where they are asked for', 'Format: DD/MM/YYYY', '04/03/2026', false],
    ['no slashes', 'Format: DD/MM/YYYY', '2026-03-04', true],
    ['either', 'YYYY-MM-DD or DD/MM/YYYY', '04/03/2026', false],
    ['a day that is none', 'Date as YYYY-MM-DD', '2026-02-30', true],
    ['no date at all', 'Date as YYYY-MM-DD', 'n/a', false],
  ])('%s', async (_, description, value, isWrong) => {
    const found = await findingsOf({ date: value }, `please take ${value} for it`, { date: { description } })
    expect(found).toEqual(isWrong ? ['format_mismatch'] : [])
  })

  test('a number for the name of a thing', async () => {
    expect(await findingsOf({ city: '12345' }, 'please take 12345 for it')).toEqual(['format_mismatch'])
  })
})

describe('wrong_order', () => {
  test.each<[string, object, boolean]>([
    ['dates in order', { start_date: '2026-03-04', end_date: '2026-03-08' }, false],
    ['dates the wrong way', { start_date: '2026-03-08', end_date: '2026-03-04' }, true],
    ['numbers in order', { min_price: 5, max_price: 9 }, false],
    ['numbers the wrong way', { min_price: 9, max_price: 5 }, true],
    ['from and to of numbers', { from: 9, to: 5 }, false],
    ['a night', { start_time: '22:00', end_time: '06:00' }, false],
    ['one place twice', { source: 'Rome', target: 'Rome' }, true],
    ['two places', { source: 'Rome', target: 'Pisa' }, false],
  ])('%s', async (_, args, isWrong) => {
    const user = `please take it for ${Object.values(args).join(', ')}`
    expect(await findingsOf(args, user)).toEqual(isWrong ? ['wrong_order'] : [])
  })
})

describe('swapped_arguments', () => {
  test.each<[string, object, object, string]>([
    [
      'places',
      { from_city: 'Rome', to_city: 'Pisa' },
      { from_city: 'Pisa', to_city: 'Rome' },
      'please book the train from Rome to Pisa',
    ],
    ['sides', { base: 10, height: 5 }, { base: 5, height: 10 }, 'a triangle with a base of 10 and a height of 5'],
  ])('%s', async (_, right, wrong, user) => {
    expect(await findingsOf(right, user)).toEqual([])
    const all = Object.fromEntries(Object.keys(wrong).map((name) => [name, {}]))
    expect(await issuesOf({ args: wrong, properties: all, user })).toMatchObject([
      { finding: 'swapped_arguments', correction: { corrected_arguments: right } },
    ])
  })

  test('nothing is said of two that could be either', async () => {
    expect(await findingsOf({ a: 12, b: 18 }, 'the greatest common divisor of 18 and 12 please')).toEqual([])
  })
})

test('stale_value: the last message corrects what the call still has', async () => {
  const messages = [said('user', 'book a table for 4 please'), said('assistant', 'For 4?'), said('user', 'no, for 6')]
  const asked = (people: number): Asked => ({ args: { people }, properties: { people: {} }, messages })
  expect(await issuesOf(asked(4))).toMatchObject([{ finding: 'stale_value' }])
  expect(await issuesOf(asked(6))).toEqual([])
})

describe('no_tool_fits', () => {
  const tool = functionTool(
    'play_lottery',
    { type: 'object', properties: { stake: { type: 'integer', description: 'Stake in cents' } } },
    'Take part in the draw of this evening',
  )
  const asked = (user: string, more: Partial<Asked> = {}): Asked => ({
    args: { stake: 40 },
    tools: [tool],
    called: 'play_lottery',
    user,
    ...more,
  })
  const OTHER = 'what is the distance between Rome and Pisa when I drive 40 miles on the highway?'

  test('only lowers the score, and rejects where any finding does', async () => {
    const reflection = await reflect(asked(OTHER))
    expect(reflection).toMatchObject({ decision: 'approve', notes: [{ finding: 'no_tool_fits' }] })
    expect(await issuesOf(asked(OTHER, { policy: 'strict' }))).toMatchObject([
      { finding: 'no_tool_fits', issue_type: 'semantic_function', metric_name: 'function_selection_appropriateness' },
    ])
  })

  test('says nothing of a tool that fits, nor after a call', async () => {
    expect(await issuesOf(asked('play the lottery for 40 cents please', { policy: 'strict' }))).toEqual([])
    const messages = [said('user', OTHER), said('tool', 'done')]
    expect(await issuesOf(asked('', { messages, policy: 'strict' }))).toEqual([])
  })

  test('two soft findings of different kinds reject', async () => {
    const both = functionTool('play_lottery', { properties: { kind: { enum: ['Gold', 'Silver'] } } }, 'Take part')
    const question = asked(OTHER, { args: { kind: 'Gold' }, tools: [both] })
    expect((await issuesOf(question)).map(({ finding }) => finding)).toEqual([
      'unsupported_optional_enum',
      'no_tool_fits',
    ])
  })
})

describe('provenance', () => {
  const asked = (tool: string, messages: readonly ReflectedMessage[]): Asked => ({
    args: { recipient: 'DE89370400440532013000' },
    properties: { recipient: {} },
    tool,
    messages,
  })
  const inResult = [said('user', 'pay the bill please'), said('tool', 'pay to DE89370400440532013000')]

  test('a destination of a write that only a result names is noted', async () => {
    const reflection = await reflect(asked('send_money', inResult))
    expect(reflection).toMatchObject({
      decision: 'approve',
      notes: [{ finding: 'only_in_tool_result', parameter: 'recipient', provenance: 'tool' }],
    })
  })

  test.each<[string, string, readonly ReflectedMessage[]]>([
    ['of a tool that reads', 'get_balance', inResult],
    ['that the user names too', 'send_money', [...inResult, said('user', 'yes, to DE89 3704 0044 0532 0130 00')]],
  ])('but not one %s', async (_, tool, messages) => {
    expect(await reflect(asked(tool, messages))).toMatchObject({ decision: 'approve', notes: [] })
  })
})
