import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  head,
  older,
  body,
  trailers,
  answerHead,
  answerBody,
  answerTrailers,
  nothing,
  whole,
  exempt,
  pass,
  passEdited,
  unread,
  streamed,
  refuse,
  held,
  edit,
  keep,
  replace,
  write,
  finish,
  breakOff,
  stop,
  halfClosed,
  gone,
} from '../../test/support/extproc/machine-words.ts'
import { NO_EDITS } from './edits.ts'
import { step } from './machine.ts'
import { START, waitsFor } from './state.ts'
import type { Input, Machine, Order } from './state.ts'
import type { Ask, Piece } from './messages.ts'

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
  if (m.answer.at === 'judging')
    return m.answer.own || m.answer.bodyless || !m.keeps ? [streamed] : [unread, streamed, held, edit]
  if (m.answer.at === 'judging-body') return [keep, replace, keep]
  if (m.answer.at === 'editing') {
    return [answerBody('a'), write('a'), write('b'), answerBody('z', true), answerTrailers, finish, breakOff]
  }
  if (m.request.at === 'idle' && m.answer.at === 'idle') return [head(), head(true), older(), answerHead()]
  if (m.request.at === 'awaiting-body') return [body('b'), body('', false), trailers, answerHead()]
  if (m.answer.at === 'idle') return [answerHead(), answerHead(true), trailers, body('')]
  return [answerBody('a'), answerBody('z', true), answerTrailers, nothing, write('late'), finish]
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
      if (due.form !== 'rewritable') return other ? streamed : unread
      return other ? held : edit
    case 'judge-answer-body':
      return other ? replace : keep
    case 'open-editor':
    case 'feed':
      return other ? finish : write('w')
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
  /** Those that are owed an answer: while an answer is edited, and behind it, what comes of it is not. */
  readonly asks: readonly Ask[]
  readonly trailersCame: boolean
  readonly orders: readonly Order[]
  /** Before each end: what was waited for. */
  readonly waitingAtEnd: string | undefined
}

function ofEdited(ask: Ask, { answer }: Machine): boolean {
  const edited = answer.at === 'editing' || (answer.at === 'done' && answer.how === 'edited')
  return edited && (ask.kind === 'body' || ask.kind === 'trailers') && ask.half === 'response'
}

function play(opening: readonly Input[], moves: readonly Move[]): Trace {
  let machine = START
  let due: Order | undefined
  let waitingAtEnd: string | undefined
  let trailersCame = false
  const asks: Ask[] = []
  const orders: Order[] = []
  const take = (input: Input): void => {
    if (input.kind === 'ask' && !machine.ended && input.ask.kind !== 'nothing') {
      if (!ofEdited(input.ask, machine)) asks.push(input.ask)
      else if (input.ask.kind === 'trailers') trailersCame = true
    }
    const waiting = waitsFor(machine)
    const stepped = step(machine, input)
    if (!machine.ended && stepped.machine.ended) waitingAtEnd = waiting
    machine = stepped.machine
    orders.push(...stepped.orders)
    if (input.kind !== 'ask' || stepped.orders.length > 0)
      due = stepped.orders.findLast((order) => VERDICT_WANTED.has(order.kind))
  }
  for (const input of opening) take(input)
  for (const move of moves) {
    const input = inputOf(move, due, machine)
    if (input !== undefined) take(input)
  }
  return { asks, trailersCame, orders, waitingAtEnd }
}

const VERDICT_WANTED: ReadonlySet<Order['kind']> = new Set([
  'judge-head',
  'judge-body',
  'judge-answer',
  'judge-answer-body',
  'open-editor',
  'feed',
  'give-up',
])

function asked(ask: Ask): string {
  return ask.kind === 'nothing' || ask.kind === 'observing' ? ask.kind : `${ask.half} ${ask.kind}`
}

describe('whatever comes', () => {
  const moves = fc.array(anyMove, { maxLength: 30 })
  const released = [head(true), whole, answerHead()]
  /** So that what comes late in an exchange is seen often. */
  const openings = fc.constantFrom<readonly Input[]>([], [], [...released, held], [...released, edit])
  const check = (holds: (trace: Trace) => void): void =>
    fc.assert(
      fc.property(openings, moves, (opening, list) => holds(play(opening, list))),
      { numRuns: 3000 },
    )

  test('replies answer the asks, one each, of the same kind, in their order', () => {
    check(({ asks, orders }) => {
      const editorAt = orders.findIndex(({ kind }) => kind === 'open-editor')
      const replies = orders.flatMap((order, at) => {
        if (order.kind !== 'reply' || order.reply.kind === 'local' || order.reply.kind === 'piece') return []
        const { half, kind } = order.reply
        return editorAt !== -1 && at > editorAt && half === 'response' ? [] : [`${half} ${kind}`]
      })
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

  test('an edited answer never ends cleanly before its editor has finished, and nothing of it comes behind that', () => {
    let edited = 0
    check(({ orders, trailersCame }) => {
      const editorAt = orders.findIndex(({ kind }) => kind === 'open-editor')
      if (editorAt === -1) return
      edited += 1
      const behind = orders.slice(editorAt)
      const endAt = behind.findIndex(isEndOfAnswer)
      const before = endAt === -1 ? behind : behind.slice(0, endAt)
      expect(before.filter((order) => order.kind === 'end' && order.close.kind === 'ok')).toEqual([])
      if (endAt === -1) return
      const after = behind.slice(endAt + 1)
      expect(after.filter((order) => isEndOfAnswer(order) || order.kind === 'feed' || isPiece(order))).toEqual([])
      const end = behind[endAt]
      if (end?.kind === 'reply' && end.reply.kind === 'trailers') expect(trailersCame).toBe(true)
      expect(behind.filter(isPiece).map(({ reply }) => reply.first)).toEqual(
        behind.filter(isPiece).map((_, position) => position === 0),
      )
    })
    expect(edited).toBeGreaterThan(100)
  })

  test('nothing of an answer that is held whole leaves before all of it was judged, once', () => {
    let judged = 0
    check(({ orders }) => {
      const replies = (list: readonly Order[]) =>
        list.flatMap((order) =>
          order.kind !== 'reply' || order.reply.kind === 'local' || order.reply.kind === 'piece' ? [] : [order.reply],
        )
      const judgedAt = orders.findIndex(({ kind }) => kind === 'judge-answer-body')
      if (judgedAt === -1) return
      judged += 1
      const [first, ...others] = orders.filter(({ kind }) => kind === 'judge-answer-body')
      expect([first?.kind, others]).toEqual(['judge-answer-body', []])
      // The head's, behind which Envoy holds it.
      const before = replies(orders.slice(0, judgedAt)).filter(({ half }) => half === 'response')
      expect(before).toEqual([HEAD_HELD])
    })
    expect(judged).toBeGreaterThan(100)
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

const HEAD_HELD = { kind: 'head', half: 'response', edits: NO_EDITS, modes: undefined }

function isPiece(order: Order): order is Order & { kind: 'reply'; reply: Piece } {
  return order.kind === 'reply' && order.reply.kind === 'piece'
}

/** Of one that is edited. */
function isEndOfAnswer(order: Order): boolean {
  if (order.kind !== 'reply') return false
  return order.reply.kind === 'piece'
    ? order.reply.last
    : order.reply.kind === 'trailers' && order.reply.half === 'response'
}
