import { describe, expect, test } from 'vitest'
import { NOT_CONFIRMED } from '../own-words.ts'
import type { ReflectedMessage } from '../reflector.ts'
import { issuesOf, reflect, type Asked } from '../../../../test/support/gates/reflect.ts'

const said = (role: string, content: string): ReflectedMessage => ({ role, content })

/** One argument, required or not. */
function one(name: string, value: unknown, more: Asked | Partial<Asked> = {}, schema: object = {}): Asked {
  return { args: { [name]: value }, properties: { [name]: schema }, required: [name], ...more }
}

describe('an identifier that stands somewhere is approved', () => {
  test.each<[string, string, unknown, string]>([
    ['an id', 'transaction_id', 'TX-991-A', 'Refund TX-991-A please'],
    ['an id in other signs', 'transaction_id', 'TX99122', 'Refund tx-991.22, please'],
    ['an id without its prefix', 'order_id', '10071', 'my order is ORD10071'],
    ['an id in quotes and brackets', 'id', 'a7_x', 'the one called ("a7_x")'],
    ['an id between words of another script', 'order_id', 'AB12345', '请退款订单AB12345谢谢'],
    ['a short id', 'id', '42', 'look at item 42'],
    ['an id that is a number', 'user_id', 7890, 'User ID 7890'],
    ['an id that is a number, grouped', 'user_id', 12345, 'user 12,345'],
    ['an id that is a number, in words', 'user_id', 5, 'the user five'],
    ['a name with accents as an id', 'username', 'jose_nunez', 'I am José Núñez'],
    ['a mail', 'email', 'Ann.Lee@x-corp.com', 'write to <ann.lee@x-corp.com>.'],
    ['a mail behind its scheme', 'link', 'mailto:ann@x.com', 'write to ann@x.com'],
    ['a phone number', 'phone', '+1 (555) 123-4567', 'call +15551234567'],
    ['a phone number with fewer signs', 'phone', '15551234567', 'call +1 555 123-4567'],
    ['an account', 'iban', 'DE89370400440532013000', 'to DE89 3704 0044 0532 0130 00'],
    ['a URL', 'url', 'https://www.x.com/a?b=1', 'open x.com/a?b=1'],
    ['a URL with known parts', 'url', 'https://x.com/reports/may', 'the reports of May on x.com'],
    ['the site of a named firm', 'url', 'https://acme.com', 'open the page of Acme'],
    ['a file', 'file_path', '/home/ann/plan.pdf', 'open plan.pdf in /home/ann'],
    ['a host', 'hostname', 'db.internal.example', 'check db.internal.example'],
  ])('%s', async (_, name, value, user) => {
    expect(await issuesOf(one(name, value, { user }))).toEqual([])
  })
})

describe('an identifier that stands nowhere is an invention', () => {
  test.each<[string, string, unknown, string]>([
    ['an id', 'transaction_id', 'TX-99821', 'Refund my last purchase'],
    ['the beginning of an id', 'transaction_id', 'TX-991', 'Refund TX-9912'],
    ['the end of an id', 'order_id', '0071', 'my order is 10071'],
    ['a part of a hexadecimal id', 'id', 'a1b2c3', 'look at a1b2c3d4'],
    ['two numbers as one', 'id', '42', 'from 4 to 2'],
    ['an id that is a number', 'user_id', 7890, 'User ID 78901'],
    ['an id that is a part of a grouped number', 'user_id', 2345, 'user 12,345'],
    ['an id by its look', 'thing', 'usr_8812x', 'the usual one'],
    ['a mail', 'email', 'ann@x.com', 'write to Ann'],
    ['a mail of a known name and domain', 'email', 'ann.lee@x.com', 'write to Ann Lee; I am bob@x.com'],
    ['a mail within another', 'email', 'lee@x.com', 'write to ann.lee@x.com'],
    ['a mail that goes on', 'email', 'ann@x.co', 'write to ann@x.com'],
    ['a phone number', 'to', '+1 555 123 9999', 'call +15551234567'],
    ['an account', 'account', 'DE89370400440532013001', 'to DE89 3704 0044 0532 0130 00'],
    ['a URL', 'url', 'https://evil.example/x', 'open the page of Acme'],
    ['a host of a known label', 'host', 'pg.evil.example', 'connect to the pg server'],
    ['a path of a known host', 'url', 'https://x.com/admin/keys', 'open x.com'],
    ['a file', 'path', '/etc/shadow', 'open my plan'],
    ['a file of a known name and another kind', 'file', 'plan.xlsx', 'open my plan'],
    ['a tracking number', 'tracking_number', '9400111', 'where is my parcel?'],
    ['a placeholder', 'where', '<your address>', 'send it'],
    ['a placeholder of another kind', 'name', 'your_name', 'send it'],
    ['a number that everybody writes', 'otp', '123456', 'confirm it'],
  ])('%s', async (_, name, value, user) => {
    const issues = await issuesOf(one(name, value, { user }))
    expect(issues).toMatchObject([
      { issue_type: 'semantic_parameter', metric_name: `${name}.parameter_hallucination_check` },
    ])
  })
})

describe('what is written, or chosen, is not called made up', () => {
  test.each<[string, string, unknown, Asked | Partial<Asked>]>([
    ['a text', 'body', 'Your order AB-12345 is on its way, see https://x.com', {}],
    ['source code', 'code', 'x12=y34', {}],
    ['an expression', 'term', '3x**2+2y', {}],
    ['an option', 'plan_id', 'PLAN-B2', { properties: { plan_id: { enum: ['PLAN-A1', 'PLAN-B2'] } } }],
    ['one of two kinds with options', 'plan_id', 'P-22', { properties: { plan_id: { anyOf: [{ enum: ['P-22'] }] } } }],
    ['a word that names nothing', 'calendar_id', 'primary', {}],
    ['the name of a file to be written', 'output_file', 'report-2026.pdf', {}],
    ['the name of a file of a tool that writes', 'file_path', '/tmp/r1.pdf', { tool: 'create_file' }],
    ['nothing', 'id', '', {}],
  ])('%s', async (_, name, value, more) => {
    const asked = { args: { [name]: value }, properties: { [name]: {} }, required: [name], ...more }
    expect(await issuesOf(asked)).toEqual([])
  })
})

describe('defaults', () => {
  const by = (schema: object): Promise<readonly unknown[]> => issuesOf(one('region_id', 'eu-central-1', {}, schema))

  test.each<[string, object]>([
    ['of the schema', { default: 'eu-central-1' }],
    ['to which it defaults', { description: 'The region. Defaults to eu-central-1.' }],
    ['in quotes', { description: "The region (default: 'eu-central-1')" }],
    ['that is the default', { description: 'Default is eu-central-1, in Frankfurt' }],
    ['by default', { description: "The region, 'eu-central-1' by default" }],
    ['if nothing is said', { description: 'If not specified, eu-central-1 is taken' }],
  ])('%s', async (_, schema) => {
    expect(await by(schema)).toEqual([])
  })

  test.each<[string, object]>([
    ['an example', { description: 'The region, e.g. eu-central-1', examples: ['eu-central-1'] }],
    ['another default', { description: 'Defaults to eu-central-12', default: 'us-east-1' }],
    ['something near the word', { description: 'By default the last one. Such as eu-central-1.' }],
  ])('but not %s', async (_, schema) => {
    expect(await by(schema)).toHaveLength(1)
  })

  test('an example is told to be one', async () => {
    expect(await by({ description: 'The region, e.g. eu-central-1' })).toMatchObject([
      {
        explanation:
          "'eu-central-1' of 'region_id' stands nowhere in what the user, the system prompt and the tools said. It stands in the argument's description only.",
      },
    ])
  })

  test('a code that the description explains is known by what it stands for', async () => {
    const schema = { description: "Which service: 'S-201' for ironing shirts, 'S-202' for dry cleaning" }
    const asked = (value: string) => issuesOf(one('service_id', value, { user: 'I need dry cleaning' }, schema))
    expect(await asked('S-202')).toEqual([])
    expect(await asked('S-201')).toHaveLength(1)
  })
})

describe('who may ground a value', () => {
  const ID = 'TX-99821'
  const call = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'c', type: 'function' as const, function: { name: 'act', arguments: `{"id":"${ID}"}` } }],
  }

  test.each<[string, readonly ReflectedMessage[], boolean]>([
    ['the user', [said('user', ID)], true],
    ['an earlier user message', [said('user', ID), said('assistant', 'Sure?'), said('user', 'yes')], true],
    ['the system prompt', [said('system', ID), said('user', 'do it')], true],
    ['a developer', [said('developer', ID), said('user', 'do it')], true],
    ['a tool', [said('user', 'do it'), said('tool', `{"id":"${ID}"}`)], true],
    ['the model, once its user has answered', [said('assistant', `Is it ${ID}?`), said('user', 'yes')], true],
    [
      'the model beside a call, though its user went on',
      [said('user', 'do it'), { ...call, content: `I take ${ID}.` }, said('tool', 'failed'), said('user', 'go on')],
      false,
    ],
    [
      'the model beside a call that was stopped',
      [said('user', 'do it'), said('assistant', `I take ${ID}. ${NOT_CONFIRMED}`), said('user', 'go on')],
      false,
    ],
    ['the model by itself', [said('user', 'do it'), said('assistant', `I take ${ID}.`)], false],
    ['an earlier call', [said('user', 'do it'), call, said('tool', 'not found')], false],
    ['somebody unknown', [said('critic', ID), said('user', 'do it')], false],
    ['nobody', [], false],
  ])('%s: %#', async (_, messages, grounded) => {
    expect(await issuesOf(one('id', ID, { messages }))).toHaveLength(grounded ? 0 : 1)
  })
})

describe('a result does not ground what its own call was made with', () => {
  const asking = (args: unknown, id = 'c'): ReflectedMessage => ({
    role: 'assistant',
    content: '',
    tool_calls: [
      {
        id,
        type: 'function',
        function: { name: 'look', arguments: typeof args === 'string' ? args : JSON.stringify(args) },
      },
    ],
  })
  const result = (content: string, id = 'c'): ReflectedMessage => ({ role: 'tool', content, tool_call_id: id })

  test.each<[string, string, unknown, unknown, string, boolean]>([
    ['an id', 'id', 'TX-99821', { id: 'TX-99821' }, 'no TX-99821', false],
    ['an id in other signs', 'id', 'TX-99821', { id: 'tx_99821' }, 'no TX99821', false],
    ['an id of which it had more', 'id', 'TX-99821', { note: 'see TX-99821, please' }, 'no TX-99821', false],
    ['an id deep inside', 'id', 'TX-99821', { of: [{ id: 'TX-99821' }] }, 'no TX-99821', false],
    ['an id as a name', 'id', 'TX-99821', { amounts: { 'TX-99821': 4 } }, 'no TX-99821', false],
    ['an id behind an escaped line break', 'id', 'TX-99821', { note: 'see\nTX-99821' }, 'no TX-99821', false],
    ['an id in arguments that are no JSON', 'id', 'TX-99821', '{"id":"TX-99821', 'no TX-99821', false],
    ['an id that is a number', 'user_id', 7890, { user_id: 7890 }, 'no user 7890', false],
    ['a mail', 'email', 'ann@x.com', { to: 'ann@x.com' }, 'unknown: ann@x.com', false],
    ['a mail behind its scheme', 'link', 'mailto:ann@x.com', { to: 'ann@x.com' }, 'unknown: ann@x.com', false],
    ['a URL', 'url', 'https://x.com/a', { url: 'www.x.com/a' }, 'cannot open x.com/a', false],
    ['a path', 'path', '/tmp/a1.pdf', { path: '/tmp/a1.pdf' }, 'no file /tmp/a1.pdf', false],
    ['another id', 'id', 'TX-99821', { of: 'today' }, 'today: TX-99821', true],
    ['a longer id', 'id', 'TX-99821-B', { id: 'TX-99821' }, 'TX-99821 is now TX-99821-B', true],
    ['a file in the folder that it named', 'path', '/tmp/a1.pdf', { folder: '/tmp' }, 'a1.pdf is now in /tmp', true],
  ])('%s: %s=%s', async (_, name, value, args, content, grounded) => {
    const messages = [said('user', 'do it'), asking(args), result(content)]
    expect(await issuesOf(one(name, value, { messages }))).toHaveLength(grounded ? 0 : 1)
    const bySomebodyElse = [said('user', 'do it'), asking(args), result(content, 'other')]
    expect(await issuesOf(one(name, value, { messages: bySomebodyElse }))).toEqual([])
  })

  test('but what was said elsewhere is not forgotten', async () => {
    const messages = [said('user', 'Refund TX-99821'), asking({ id: 'TX-99821' }), result('no TX-99821')]
    expect(await issuesOf(one('id', 'TX-99821', { messages }))).toEqual([])
  })

  test('and why it does not count is told', async () => {
    const messages = [said('user', 'do it'), asking({ id: 'TX-99821' }), result('no TX-99821')]
    const [issue] = await issuesOf(one('id', 'TX-99821', { messages }))
    expect(issue?.explanation).toContain('The result of a call that was made with it only repeats it.')
  })

  test('and what it had is not suggested', async () => {
    const messages = [said('user', 'do it'), asking({ id: 'TX-99822' }), result('no TX-99822')]
    const [issue] = await issuesOf(one('id', 'TX-99821', { messages }))
    expect(issue?.explanation).not.toContain('TX-99822')
  })

  test('an id of a call that is used again means the last one', async () => {
    const messages = [asking({ id: 'TX-99821' }), result('none'), asking({ of: 'today' }), result('TX-99821')]
    expect(await issuesOf(one('id', 'TX-99821', { messages }))).toEqual([])
  })
})

describe('corrections', () => {
  test('what is required is asked for', async () => {
    const [issue] = await issuesOf(one('transaction_id', 'TX-99821', { tool: 'refund' }))
    expect(issue?.correction).toEqual({ question: "Which value should 'transaction_id' of 'refund' have?" })
  })

  test('what is optional is left out', async () => {
    const args = { text: 'hello', reply_to_id: 'M-99821' }
    const [issue] = await issuesOf({ args, properties: { text: {}, reply_to_id: {} }, user: 'Say hello.' })
    expect(issue?.correction).toMatchObject({ corrected_arguments: { text: 'hello' } })
  })

  test('what was said and is nearly the same is suggested, and asked about', async () => {
    const messages = [said('user', 'Refund my last one'), said('tool', 'last: TX-99812, before: TX-44100')]
    const [issue] = await issuesOf(one('ids', ['TX-99821'], { messages, tool: 'refund' }))
    expect(issue).toMatchObject({
      explanation:
        "'TX-99821' of 'ids.0' stands nowhere in what the user, the system prompt and the tools said. Near it, in a tool's result: 'TX-99812'.",
      correction: {
        question: "Which value should 'ids' of 'refund' have? Is it 'TX-99812'?",
        corrected_arguments: { ids: ['TX-99812'] },
      },
    })
  })

  test('a number is suggested as a number', async () => {
    const [issue] = await issuesOf(one('user_id', 78901, { user: 'the user is 78910' }))
    expect(issue?.correction).toMatchObject({ corrected_arguments: { user_id: 78910 } })
  })

  test('nothing is suggested where two are as near', async () => {
    const [issue] = await issuesOf(one('id', 'TX-99821', { user: 'TX-99822 or TX-99823' }))
    expect(issue?.correction).not.toHaveProperty('corrected_arguments')
  })
})

test('several inventions in one argument are one issue', async () => {
  const issues = await issuesOf(one('to', ['ann@x.com', 'bob@x.com'], { user: 'write to both' }))
  expect(issues).toMatchObject([
    {
      metric_name: 'to.parameter_hallucination_check',
      explanation:
        "'ann@x.com' of 'to.0', 'bob@x.com' of 'to.1' stand nowhere in what the user, the system prompt and the tools said.",
    },
  ])
})

test('a value deep inside is found, with what its own place is said to be', async () => {
  const schema = {
    properties: { order: { $ref: '#/$defs/order' } },
    $defs: {
      order: { properties: { lines: { items: { properties: { sku: { type: 'string', default: 'SKU-1000' } } } } } },
    },
  }
  const issues = await issuesOf({ args: { order: { lines: [{ sku: 'SKU-1000' }, { sku: 'SKU-2000' }] } }, schema })
  expect(issues.map(({ explanation }) => explanation)).toEqual([
    "'SKU-2000' of 'order.lines.1.sku' stands nowhere in what the user, the system prompt and the tools said.",
  ])
})

test('an argument with a static fault is not looked for; the others are', async () => {
  const issues = await issuesOf({
    args: { count: 'TX-11111', id: 'TX-22222', extra_id: 'TX-33333' },
    properties: { count: { type: 'integer' }, id: {} },
  })
  expect(issues.map(({ metric_name }) => metric_name)).toEqual([
    'non_existent_parameter',
    'incorrect_parameter_type',
    'id.parameter_hallucination_check',
  ])
})

test('the syntax track does not look at the conversation', async () => {
  expect(await issuesOf(one('id', 'TX-99821', { track: 'syntax' }))).toEqual([])
})

describe('scores', () => {
  const scored = async (asked: Asked): Promise<number | undefined> => {
    const reflection = await reflect(asked)
    return reflection.kind === 'verdict' ? reflection.score : NaN
  }

  test.each<[string, Asked, number | undefined]>([
    ['all said', one('id', 'TX-99821', { user: 'TX-99821' }), 1],
    ['nothing to grade', { args: {}, user: '' }, undefined],
    ['a word that nobody said', one('city', 'Rome'), 0],
    ['an invention', one('id', 'TX-99821'), 0],
    [
      'one of two',
      { args: { id: 'TX-1234', to_id: 'TX-9' }, properties: { id: {}, to_id: {} }, user: 'TX-1234' },
      0.25,
    ],
    ['a guess', one('email', 'ann@x.com', { user: 'Ann of x.com' }), 0.25],
    ['only just', one('url', 'https://acme.com', { user: 'Acme' }), 0.5],
    [
      'a static fault beside what was said',
      { args: { id: 'TX-1234', n: 1 }, properties: { id: {} }, user: 'TX-1234' },
      0,
    ],
  ])('%s', async (_, asked, score) => {
    expect(await scored(asked)).toBe(score)
  })

  test('a rejected call stays under the middle, however good the rest', async () => {
    const args = { id: 'TX-0', ids: Array.from({ length: 50 }, () => 'TX-1234') }
    const score = await scored({ args, properties: { id: {}, ids: {} }, user: 'TX-1234' })
    expect(score).toBe(0.45)
  })
})

describe('a conversation too large to search', () => {
  const messages = [said('user', 'x '.repeat(600_000))]
  const many = {
    args: { ids: Array.from({ length: 300 }, (_, at) => `TX-${at}0000`) },
    properties: { ids: {} },
    messages,
  }

  test('has no verdict', async () => {
    expect(await reflect(many)).toEqual({ kind: 'unavailable', failure: 'too_large' })
  })

  test('does not hide a static fault', async () => {
    expect(await reflect({ ...many, required: ['other'] })).toMatchObject({ kind: 'verdict', decision: 'reject' })
  })

  test('is searched for a few values', async () => {
    expect(await issuesOf(one('id', 'TX-99821', { messages }))).toHaveLength(1)
  })
})
