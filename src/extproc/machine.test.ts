import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkEdits, NO_EDITS } from './edits.ts'
import { bareRefusal } from './local-answer.ts'
import { START, step, waitsFor } from './machine.ts'
import type { Input, Machine, Order } from './machine.ts'
import { MODE_PAIRS } from './messages.ts'
import type { Ask, ShownModes } from './messages.ts'

const SHOWN: ShownModes = { request: 'buffered', response: 'buffered', early: false }
const SOME_EDITS = checkEdits({ set: [['x-a', '1']], remove: [] })
const NO = bareRefusal('plumbline.plugin_failed')

// ---- a script's words ----

const head = (last = false, modes: ShownModes | undefined = SHOWN): Input => ({
  kind: 'ask',
  ask: { kind: 'head', half: 'request', pairs: [], last, modes },
})
const older = (last = false): Input => ({
  kind: 'ask',
  ask: { kind: 'head', half: 'request', pairs: [], last, modes: undefined },
})
const body = (text: string, last = true): Input => ({
  kind: 'ask',
  ask: { kind: 'body', half: 'request', bytes: Buffer.from(text), last },
})
const trailers: Input = { kind: 'ask', ask: { kind: 'trailers', half: 'request' } }
const answerHead = (last = false): Input => ({
  kind: 'ask',
  ask: { kind: 'head', half: 'response', pairs: [], last, modes: undefined },
})
const answerBody = (text: string, last = false): Input => ({
  kind: 'ask',
  ask: { kind: 'body', half: 'response', bytes: Buffer.from(text), last },
})
const answerTrailers: Input = { kind: 'ask', ask: { kind: 'trailers', half: 'response' } }
const nothing: Input = { kind: 'ask', ask: { kind: 'nothing' } }
const observing: Input = { kind: 'ask', ask: { kind: 'observing' } }
const whole: Input = { kind: 'head-verdict', edits: NO_EDITS, body: 'whole' }
const exempt: Input = { kind: 'head-verdict', edits: NO_EDITS, body: 'none' }
const pass: Input = { kind: 'body-verdict', edits: NO_EDITS }
const passEdited: Input = { kind: 'body-verdict', edits: SOME_EDITS }
const unread: Input = { kind: 'answer-verdict', body: 'none' }
const streamed: Input = { kind: 'answer-verdict', body: 'stream' }
const refuse: Input = { kind: 'refuse', answer: NO }
const stop: Input = { kind: 'stop' }
const halfClosed: Input = { kind: 'half-closed' }
const gone: Input = { kind: 'gone' }

/** One word or two for an order. */
function word(order: Order): string {
  switch (order.kind) {
    case 'judge-head':
      return `judge head${order.bodyless ? ' bodyless' : ''}`
    case 'judge-body':
      return `judge body ${Buffer.from(order.bytes).toString()}`.trimEnd()
    case 'judge-answer':
      return 'judge answer'
    case 'read':
      return `read ${Buffer.from(order.bytes).toString()}${order.last ? ' last' : ''}`
    case 'give-up':
      return `give up ${order.code}${order.unseen === undefined ? '' : ' unseen'}`
    case 'end':
      return `end ${order.how} ${order.close.kind === 'error' ? order.close.code : order.close.kind}`
    case 'reply': {
      const { reply } = order
      if (reply.kind === 'local') return 'local'
      const modes = reply.kind === 'head' && reply.modes ? ` ${reply.modes.request}/${reply.modes.response}` : ''
      return `${reply.half} ${reply.kind}${modes}`
    }
  }
}

function run(inputs: readonly Input[]): { readonly machine: Machine; readonly words: readonly string[] } {
  let machine = START
  const words: string[] = []
  for (const input of inputs) {
    const stepped = step(machine, input)
    machine = stepped.machine
    words.push(...stepped.orders.map(word))
  }
  return { machine, words }
}

describe('what Envoy shows, what is answered', () => {
  test.each<[string, readonly Input[], readonly string[]]>([
    [
      'a request with a body, its answer unread',
      [head(), whole, body('b'), pass, answerHead(), unread, gone],
      [
        'judge head',
        'request head',
        'judge body b',
        'request body',
        'judge answer',
        'response head buffered/none',
        'end complete silent',
      ],
    ],
    [
      'a request without a body',
      [head(true), whole, answerHead(), unread, gone],
      ['judge head bodyless', 'request head', 'judge answer', 'response head buffered/none', 'end complete silent'],
    ],
    [
      'a request without a body is not overridden when exempt',
      [head(true), exempt],
      ['judge head bodyless', 'request head'],
    ],
    [
      'an exempt request, whose body passes unseen',
      [head(), exempt, answerHead(), unread],
      ['judge head', 'request head none/buffered', 'judge answer', 'response head none/none'],
    ],
    [
      'an exempt request whose override is ignored: its body passes unjudged, as wanted',
      [head(), exempt, body('b')],
      ['judge head', 'request head none/buffered', 'request body'],
    ],
    [
      'an answer that is read in passing',
      [head(true), whole, answerHead(), streamed, answerBody('a'), answerBody('z', true), gone],
      [
        'judge head bodyless',
        'request head',
        'judge answer',
        'response head buffered/streamed',
        'read a',
        'response body',
        'read z last',
        'response body',
        'end complete silent',
      ],
    ],
    [
      'an answer that is read in passing, of an exempt request',
      [head(), exempt, answerHead(), streamed],
      ['judge head', 'request head none/buffered', 'judge answer', 'response head none/streamed'],
    ],
    [
      'an answer that ends in trailers',
      [head(true), whole, answerHead(), streamed, answerBody('a'), answerTrailers, gone],
      [
        'judge head bodyless',
        'request head',
        'judge answer',
        'response head buffered/streamed',
        'read a',
        'response body',
        'read  last',
        'response trailers',
        'end complete silent',
      ],
    ],
    [
      'a second end of stream of an answer is answered, and read once',
      [head(true), whole, answerHead(), streamed, answerBody('a', true), answerBody('', true)],
      [
        'judge head bodyless',
        'request head',
        'judge answer',
        'response head buffered/streamed',
        'read a last',
        'response body',
        'response body',
      ],
    ],
    [
      'an answer without a body (HEAD, 204, 304) needs no override',
      [head(true), whole, answerHead(true), streamed, gone],
      ['judge head bodyless', 'request head', 'judge answer', 'response head', 'end complete silent'],
    ],
    [
      'an answer that nobody reads, although Envoy ignores the override',
      [head(true), whole, answerHead(), unread, answerBody('a', true)],
      ['judge head bodyless', 'request head', 'judge answer', 'response head buffered/none', 'response body'],
    ],
    [
      'a body that is not marked as ended is whole: trailers follow',
      [head(), whole, body('b', false), pass, trailers],
      ['judge head', 'request head', 'judge body b', 'request body', 'request trailers'],
    ],
    [
      'trailers where the body should be: the body is empty, and judged',
      [head(), whole, trailers, pass],
      ['judge head', 'request head', 'judge body', 'request trailers'],
    ],
    [
      'trailers where the body should be leave no room for edits',
      [head(), whole, trailers, passEdited, refuse],
      ['judge head', 'request head', 'judge body', 'give up plumbline.unreadable', 'local', 'end refused ok'],
    ],
    [
      'an empty body is judged like any other',
      [head(), whole, body(''), pass],
      ['judge head', 'request head', 'judge body', 'request body'],
    ],
    [
      'a second, empty end of stream of a judged request is answered',
      [head(), whole, body('b'), pass, body('')],
      ['judge head', 'request head', 'judge body b', 'request body', 'request body'],
    ],
    [
      "Envoy's own answer, without a request",
      [answerHead(), streamed, answerBody('x', true), gone],
      ['judge answer', 'response head buffered/none', 'response body', 'end complete silent'],
    ],
    [
      "Envoy's own answer while the body is awaited (413)",
      [head(), whole, answerHead(), streamed, answerBody('x', true), gone],
      [
        'judge head',
        'request head',
        'judge answer',
        'response head buffered/none',
        'response body',
        'end complete silent',
      ],
    ],
    [
      "Envoy's own answer while the head is judged waits its turn",
      [head(), answerHead(), whole, unread, gone],
      ['judge head', 'request head', 'judge answer', 'response head buffered/none', 'end complete silent'],
    ],
    [
      "Envoy's own answer is dropped behind a refusal",
      [head(), answerHead(), refuse, unread],
      ['judge head', 'local', 'end refused ok'],
    ],
    ['a message with no member that we know', [nothing, head(), nothing], ['judge head']],
  ])('%s', (_name, inputs, words) => {
    expect(run(inputs).words).toEqual(words)
  })
})

describe('refused as the wrong mode', () => {
  test.each<[string, Partial<ShownModes>]>([
    ['request bodies are not shown', { request: 'none' }],
    ['request bodies are released piece by piece', { request: 'streamed' }],
    ['request bodies are shown in part', { request: 'buffered_partial' }],
    ['request bodies are shown in another protocol', { request: 'full_duplex' }],
    ['answers are shown in another protocol', { response: 'full_duplex' }],
    ['answers are shown as gRPC', { response: 'grpc' }],
    ['a mode is newer than this code', { response: 'unknown' }],
    ['bodies come before the verdict on the head', { early: true }],
  ])('%s', (_name, modes) => {
    expect(run([head(false, { ...SHOWN, ...modes }), refuse]).words).toEqual([
      'give up plumbline.wrong_mode unseen',
      'local',
      'end refused ok',
    ])
  })

  test('the body was asked for and never shown, by an Envoy that does not say its modes', () => {
    expect(run([older(), whole, answerHead(), refuse]).words.slice(2)).toEqual([
      'give up plumbline.wrong_mode',
      'local',
      'end refused ok',
    ])
  })

  test.each<[string, Partial<ShownModes>]>([
    ['answers that are not shown can be asked for', { response: 'none' }],
    ['answers in pieces can be asked for', { response: 'streamed' }],
  ])('not: %s', (_name, modes) => {
    expect(run([head(false, { ...SHOWN, ...modes })]).words).toEqual(['judge head'])
  })
})

describe('out of turn', () => {
  const done = [head(true), whole, answerHead(), unread]
  test.each<[string, readonly Input[]]>([
    ['a body before its head', [body('b')]],
    ['trailers before the head', [trailers]],
    ['a second head while the first is judged', [head(), head()]],
    ['a second head', [head(true), whole, head()]],
    ['a head after its answer', [answerHead(), unread, head()]],
    ['a body before the verdict on the head', [head(), body('b')]],
    ['a body while the body is judged', [head(), whole, body('b'), body('c')]],
    ['trailers while the body is judged', [head(), whole, body('b'), trailers]],
    ['more body than was judged', [head(), whole, body('b'), pass, body('c')]],
    ['a body of a request that has none', [head(true), whole, body('b')]],
    ["a body after Envoy's own answer", [head(), whole, answerHead(), unread, body('b')]],
    ['an answer body before its head', [head(true), whole, answerBody('a')]],
    ['answer trailers before the head', [head(true), whole, answerTrailers]],
    ['a second answer head', [...done, answerHead()]],
    ['two answer heads while the request is judged', [head(), answerHead(), answerHead()]],
  ])('%s ends with an error', (_name, inputs) => {
    expect(run(inputs).words.at(-1)).toBe('end failed INVALID_ARGUMENT')
  })

  test('observability mode ends with an error', () => {
    expect(run([observing]).words).toEqual(['end failed FAILED_PRECONDITION'])
  })

  test.each<[string, Input]>([
    ['head', whole],
    ['body', pass],
    ['answer', unread],
    ['refusal', refuse],
  ])('a verdict that nothing waits for is our own fault: %s', (_name, verdict) => {
    expect(run([verdict]).words).toEqual(['end failed INTERNAL'])
  })
})

describe('ends', () => {
  const states: readonly [string, readonly Input[]][] = [
    ['nothing came', []],
    ['judging the head', [head()]],
    ['awaiting the body', [head(), whole]],
    ['judging the body', [head(), whole, body('b')]],
    ['upstream works', [head(true), whole]],
    ['judging the answer', [head(true), whole, answerHead()]],
    ['passing', [head(true), whole, answerHead(), streamed]],
    ['done', [head(true), whole, answerHead(), unread]],
  ]
  const expected: Readonly<Record<string, readonly [halfClosed: string, gone: string, stop: string]>> = {
    'nothing came': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'judging the head': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'awaiting the body': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'judging the body': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'upstream works': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'judging the answer': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    passing: ['gone ok', 'gone silent', 'gone ok'],
    done: ['complete ok', 'complete silent', 'complete ok'],
  }
  test.each(states)('%s', (name, inputs) => {
    const ends = [halfClosed, gone, stop].map((input) => run([...inputs, input]).words.at(-1))
    expect(ends).toEqual(expected[name]?.map((end) => `end ${end}`))
  })

  test('after an end nothing is ordered', () => {
    expect(run([gone, head(), whole, refuse, stop, gone]).words).toEqual(['end gone silent'])
  })
})

test('every mode override that is ever sent is one of the five pairs', () => {
  expect(MODE_PAIRS.map(({ request, response }) => `${request}/${response}`)).toEqual([
    'none/buffered',
    'buffered/none',
    'buffered/streamed',
    'none/none',
    'none/streamed',
  ])
})

// ---- properties ----

const anyHalf = fc.constantFrom('request' as const, 'response' as const)
const anyModes = fc.option(
  fc.record({
    request: fc.constantFrom('buffered' as const, 'buffered' as const, 'none' as const, 'streamed' as const),
    response: fc.constantFrom('buffered' as const, 'buffered' as const, 'full_duplex' as const),
    early: fc.boolean(),
  }),
  { nil: undefined },
)
const anyAsk: fc.Arbitrary<Ask> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('head' as const),
      half: anyHalf,
      pairs: fc.constant([]),
      last: fc.boolean(),
      modes: anyModes,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('body' as const),
      half: anyHalf,
      bytes: fc.constantFrom(Buffer.from(''), Buffer.from('b')),
      last: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('trailers' as const), half: anyHalf }) },
  { weight: 1, arbitrary: fc.constant<Ask>({ kind: 'nothing' }) },
)
/**
 * What the world does next: something likely, or anything. A verdict is given only where the machine asked for one, as
 * the driver does.
 */
type Move =
  | { readonly likely: number }
  | { readonly ask: Ask }
  | 'verdict'
  | 'other verdict'
  | 'refuse'
  | 'stop'
  | 'half-closed'
  | 'gone'
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 40, arbitrary: fc.record({ likely: fc.nat(11) }) },
  { weight: 4, arbitrary: fc.record({ ask: anyAsk }) },
  { weight: 8, arbitrary: fc.constantFrom('verdict' as const, 'other verdict' as const) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('refuse' as const, 'stop' as const, 'half-closed' as const, 'gone' as const),
  },
)

/** What Envoy and the handler could do next without breaking a rule. */
function likely(m: Machine): readonly Input[] {
  if (m.request.at === 'judging-head') return [whole, exempt, whole, answerHead()]
  if (m.request.at === 'judging-body') return [pass, passEdited, answerHead()]
  if (m.answer.at === 'judging') return [unread, streamed]
  if (m.request.at === 'idle' && m.answer.at === 'idle') return [head(), head(true), older(), answerHead()]
  if (m.request.at === 'awaiting-body') return [body('b'), body('', false), trailers, answerHead()]
  if (m.answer.at === 'idle') return [answerHead(), answerHead(true), trailers, body('')]
  return [answerBody('a'), answerBody('z', true), answerTrailers, nothing]
}

function inputOf(move: Move, due: Order | undefined, m: Machine): Input | undefined {
  if (typeof move === 'object' && 'ask' in move) return { kind: 'ask', ask: move.ask }
  if (typeof move === 'object') return due?.kind === 'give-up' ? refuse : likely(m)[move.likely % likely(m).length]
  if (move === 'refuse') return refuse
  if (move === 'stop') return stop
  if (move === 'half-closed') return halfClosed
  if (move === 'gone') return gone
  const other = move === 'other verdict'
  switch (due?.kind) {
    case 'judge-head':
      return other ? exempt : whole
    case 'judge-body':
      return other ? passEdited : pass
    case 'judge-answer':
      return other ? streamed : unread
    case 'give-up':
      return refuse
    case 'read':
    case 'reply':
    case 'end':
    case undefined:
      return undefined
  }
}

interface Trace {
  readonly asks: readonly Ask[]
  readonly orders: readonly Order[]
  /** Before each end: what was waited for. */
  readonly waitingAtEnd: string | undefined
}

function play(moves: readonly Move[]): Trace {
  let machine = START
  let due: Order | undefined
  let waitingAtEnd: string | undefined
  const asks: Ask[] = []
  const orders: Order[] = []
  for (const move of moves) {
    const input = inputOf(move, due, machine)
    if (input === undefined) continue
    if (input.kind === 'ask' && !machine.ended && input.ask.kind !== 'nothing') asks.push(input.ask)
    const waiting = waitsFor(machine)
    const stepped = step(machine, input)
    if (!machine.ended && stepped.machine.ended) waitingAtEnd = waiting
    machine = stepped.machine
    orders.push(...stepped.orders)
    if (input.kind !== 'ask' || stepped.orders.length > 0)
      due = stepped.orders.findLast((order) => VERDICT_WANTED.has(order.kind))
  }
  return { asks, orders, waitingAtEnd }
}

const VERDICT_WANTED: ReadonlySet<Order['kind']> = new Set(['judge-head', 'judge-body', 'judge-answer', 'give-up'])

function asked(ask: Ask): string {
  return ask.kind === 'nothing' || ask.kind === 'observing' ? ask.kind : `${ask.half} ${ask.kind}`
}

describe('whatever comes', () => {
  const moves = fc.array(anyMove, { maxLength: 30 })
  const check = (holds: (trace: Trace) => void): void =>
    fc.assert(
      fc.property(moves, (list) => holds(play(list))),
      { numRuns: 2000 },
    )

  test('replies answer the asks, one each, of the same kind, in their order', () => {
    check(({ asks, orders }) => {
      const replies = orders.flatMap((order) =>
        order.kind === 'reply' && order.reply.kind !== 'local' ? [`${order.reply.half} ${order.reply.kind}`] : [],
      )
      expect(replies).toEqual(asks.slice(0, replies.length).map(asked))
    })
  })

  test('there is at most one end, and nothing behind it', () => {
    check(({ orders }) => {
      const ends = orders.filter((order) => order.kind === 'end')
      expect(ends.length).toBeLessThanOrEqual(1)
      if (ends.length === 1) expect(orders.at(-1)).toBe(ends[0])
    })
  })

  test('a clean end comes behind a local answer, or where nothing is waited for', () => {
    check(({ orders, waitingAtEnd }) => {
      const last = orders.at(-1)
      if (last?.kind !== 'end' || last.close.kind !== 'ok') return
      const before = orders.at(-2)
      const refused = before?.kind === 'reply' && before.reply.kind === 'local'
      expect(refused || waitingAtEnd === 'nothing').toBe(true)
    })
  })

  test('a request is released only by a verdict on all that was shown of it', () => {
    check(({ orders }) => {
      const released = orders.findIndex(
        (order) => order.kind === 'reply' && order.reply.kind === 'body' && order.reply.half === 'request',
      )
      const exempted = orders.some(
        (order) => order.kind === 'reply' && order.reply.kind === 'head' && order.reply.modes?.request === 'none',
      )
      const bodyless = orders.some((order) => order.kind === 'judge-head' && order.bodyless)
      if (released === -1 || exempted || bodyless) return
      const earlier = orders.slice(0, released)
      const own = earlier.some((order) => order.kind === 'judge-answer')
      expect(own || earlier.some((order) => order.kind === 'judge-body')).toBe(true)
    })
  })
})
