import { describe, expect, test } from 'vitest'
import { rowsIn } from '../rows.ts'
import { readBfcl } from './bfcl.ts'
import { alike, newPresence } from './known.ts'
import type { Trial } from './trial.ts'
import { trialsFrom } from './trials.ts'
import { readScenarios } from '../judge/scenario.ts'

const specs = {
  book_table: {
    name: 'book_table',
    description: 'Books a table.',
    parameters: {
      type: 'dict',
      properties: {
        place: { type: 'string', description: 'The restaurant.' },
        guests: { type: 'integer', description: 'How many come.', minimum: 1, maximum: 40 },
        day: { type: 'string', description: 'Day, as YYYY-MM-DD.' },
        area: { type: 'string', enum: ['garden', 'hall', 'terrace'], default: 'hall', description: 'Where to sit.' },
        voucher: { type: 'string', description: 'A voucher.' },
        note: { type: 'string', description: "A note. Default is 'none'." },
        courses: { type: 'integer', description: 'How many courses.', default: 3 },
      },
      required: ['place', 'guests', 'day'],
    },
  },
  move_booking: {
    name: 'move_booking',
    description: 'Moves a booking.',
    parameters: {
      type: 'dict',
      properties: { from_day: { type: 'string' }, to_day: { type: 'string' }, place: { type: 'string' } },
      required: ['from_day', 'to_day', 'place'],
    },
  },
}

const data = [
  {
    id: 'q1',
    question: [
      [{ role: 'user', content: 'A table at Blue Heron for 6 on 2026-03-04, in the garden; voucher QX-7781.' }],
    ],
    function: [specs.book_table],
  },
  {
    id: 'q1',
    ground_truth: [
      {
        book_table: {
          place: ['Blue Heron', 'The Blue Heron'],
          guests: [6],
          day: ['2026-03-04'],
          area: ['garden'],
          voucher: ['QX-7781'],
          note: ['', 'by the door'],
        },
      },
    ],
  },
  {
    id: 'q2',
    question: [[{ role: 'user', content: 'Move my booking at Old Mill from 2026-05-01 to 2026-05-09.' }]],
    function: [specs.move_booking],
  },
  {
    id: 'q2',
    ground_truth: [{ move_booking: { from_day: ['2026-05-01'], to_day: ['2026-05-09'], place: ['Old Mill'] } }],
  },
  {
    id: 'irrelevance_1',
    question: [[{ role: 'user', content: 'How far is it from Lyon to "Mont Blanc" in 3 hours?' }]],
    function: [specs.book_table],
  },
]

const rows = rowsIn('own.jsonl', data.map((each) => JSON.stringify(each)).join('\n'))
const trials = trialsFrom(rows, '1')
const gold = readBfcl(rows).gold

const of = (row: string, label: string): Trial | undefined =>
  trials.find((trial) => trial.row === row && trial.label === label)

describe('right calls', () => {
  test('have what must be there, and apart from that what may be', () => {
    expect(of('q1', 'gold')?.args).toEqual({
      place: 'Blue Heron',
      guests: 6,
      day: '2026-03-04',
      area: 'garden',
      voucher: 'QX-7781',
    })
    expect(of('q1', 'gold_full')?.args).toMatchObject({ note: 'by the door' })
    expect(of('q2', 'gold_full')).toBeUndefined()
  })
})

describe('calls made wrong', () => {
  test('are the same for the same seed, and others for another', () => {
    expect(trialsFrom(rows, '1')).toEqual(trials)
    expect(trialsFrom(rows, '2')).not.toEqual(trials)
  })

  test('are of every kind that the right call allows', () => {
    const kinds = (row: string) =>
      trials.filter((trial) => trial.row === row && !trial.label.startsWith('gold')).map(({ label }) => label)
    expect(kinds('q1')).toEqual(
      expect.arrayContaining([
        'unknown_tool',
        'unknown_param',
        'drop_required',
        'wrong_type',
        'swap_id',
        'swap_date',
        'swap_number',
        'swap_string',
        'swap_enum',
        'invented_optional',
      ]),
    )
    expect(kinds('q2')).toContain('swap_args')
    expect(kinds('q2')).not.toContain('swap_enum')
    expect(kinds('irrelevance_1')).toEqual(['no_tool_fits'])
  })

  test.each(Array.from({ length: 40 }, (_, seed) => [String(seed)]))(
    'never hold what is right, the default, or what somebody said (seed %s)',
    (seed) => {
      for (const trial of trialsFrom(rows, seed)) {
        if (!/^swap_(?!args)|^invented/.test(trial.label)) continue
        const right = gold.find(({ row }) => row === trial.row)
        const parameter = trial.parameter ?? ''
        const value = trial.args[parameter]
        const said = newPresence(trial.messages.map(({ content }) => content).join('\n'))
        expect(said(value), `${trial.label} ${JSON.stringify(value)}`).toBe(false)
        expect((right?.accepted[parameter] ?? []).some((each) => alike(each, value))).toBe(false)
        expect([3, 'hall', 'none']).not.toContain(value)
      }
    },
  )

  test('change one thing alone', () => {
    for (const trial of trials) {
      const right = gold.find(({ row }) => row === trial.row)
      if (right === undefined || trial.label.startsWith('gold') || trial.label === 'swap_args') continue
      const names = new Set([...Object.keys(right.args), ...Object.keys(trial.args)])
      const changed = [...names].filter((name) => JSON.stringify(right.args[name]) !== JSON.stringify(trial.args[name]))
      expect(changed).toEqual(trial.label === 'unknown_tool' ? [] : [trial.parameter])
      expect(trial.tool === right.spec.name).toBe(trial.label !== 'unknown_tool')
    }
  })

  test('exchange two values of one type', () => {
    const { from_day, to_day, place } = of('q2', 'swap_args')?.args ?? {}
    expect([from_day, to_day, place].sort()).toEqual(['2026-05-01', '2026-05-09', 'Old Mill'])
  })

  test('stay within the bounds of their specification', () => {
    for (let seed = 0; seed < 40; seed++) {
      const changed = trialsFrom(rows, String(seed)).find(({ row, label }) => row === 'q1' && label === 'swap_number')
      expect(changed?.args['guests']).toSatisfy((guests: number) => guests >= 1 && guests <= 40)
    }
  })
})

describe('data that is not in its form is told with its place', () => {
  test.each([
    ['a question without an answer', [data[0]], /^own\.jsonl:1: no answer to q1/],
    [
      'an answer of another function',
      [data[0], { id: 'q1', ground_truth: [{ fly: { to: ['x'] } }] }],
      /^own\.jsonl:2: a call of fly/,
    ],
    ['a question without a function', [{ ...data[0], function: [] }, data[1]], /^own\.jsonl:1: function: /],
    [
      'no right value',
      [data[0], { id: 'q1', ground_truth: [{ book_table: { place: [] } }] }],
      /^own\.jsonl:2: ground_truth\.0\.book_table\.place: /,
    ],
  ])('%s', (_name, lines, expected) => {
    const text = lines.map((each) => JSON.stringify(each)).join('\n')
    expect(() => trialsFrom(rowsIn('own.jsonl', text), '1')).toThrow(expected)
  })
})

test('reads both kinds of rows of When2Call', () => {
  const spec = JSON.stringify({
    name: 'play',
    parameters: { type: 'object', properties: { song: { type: 'string' } } },
  })
  const row = (uuid: string, correct_answer: string, call: string) => ({
    uuid,
    question: 'Play Moon',
    correct_answer,
    answers: { tool_call: call },
    tools: [spec],
  })
  const call = (name: string) => JSON.stringify({ name, arguments: { song: 'Moon' } })
  const lines = [
    row('a', 'tool_call', call('play')),
    row('b', 'request_for_info', call('play')),
    row('c', 'cannot_answer', call('dance')),
  ]
  const read = trialsFrom(rowsIn('w.jsonl', lines.map((each) => JSON.stringify(each)).join('\n')), '1')
  expect(read.map(({ row: name, label }) => [name, label])).toEqual([
    ['a', 'gold'],
    ['b', 'missing_info'],
    ['c', 'unknown_tool'],
    ['c', 'no_tool_fits'],
  ])
  expect(() => trialsFrom(rowsIn('w.jsonl', JSON.stringify(row('d', 'tool_call', '{'))), '1')).toThrow(
    /^w\.jsonl:1: answers\.tool_call: text that is no JSON/,
  )
})

test('reads the calls of runs without poison, each with what came before it', () => {
  const parameters = { type: 'object', properties: { account: { type: 'string' } } }
  const head = { suite: 's', system: 'Be brief.', tools: [{ name: 'find' }, { name: 'close', parameters }] }
  const steps = [
    { tool: 'find', args: {}, result: 'AB-90417', injected: false, effect: 'read' },
    { tool: 'close', args: { account: 'AB-90417' }, result: 'done', injected: false, effect: 'write' },
    { tool: 'unknown', args: {}, injected: false, effect: 'write' },
  ]
  const run = { task: 't', intent: 'Close my account', steps }
  const lines = [head, { ...run, kind: 'benign' }, { ...run, kind: 'benign_injected' }]
  const rows = rowsIn('runs.jsonl', lines.map((each) => JSON.stringify(each)).join('\n'))
  const read = trialsFrom([], '1', readScenarios('runs.jsonl', rows))
  const right = read.filter(({ label }) => label === 'gold')
  expect(right.map(({ row, tool }) => [row, tool])).toEqual([
    ['s:2#0', 'find'],
    ['s:2#1', 'close'],
  ])
  expect(right[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
    ['system', 'Be brief.'],
    ['user', 'Close my account'],
    ['assistant', ''],
    ['tool', 'AB-90417'],
  ])
  const wrong = read.find(({ label }) => label === 'swap_id')?.args['account']
  expect(wrong).toMatch(/^AB-\d{5}$/)
  expect(wrong).not.toBe('AB-90417')
})
