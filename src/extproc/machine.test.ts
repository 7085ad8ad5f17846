import { describe, expect, test } from 'vitest'
import {
  SHOWN,
  head,
  older,
  body,
  trailers,
  answerHead,
  sizedHead,
  answerBody,
  answerTrailers,
  nothing,
  observing,
  whole,
  exempt,
  pass,
  passEdited,
  unread,
  streamed,
  held,
  edit,
  keep,
  replace,
  write,
  finish,
  breakOff,
  refuse,
  stop,
  halfClosed,
  gone,
  run,
} from '../../test/support/extproc/machine-words.ts'
import { step } from './machine.ts'
import type { Input } from './state.ts'
import { MODE_PAIRS } from './messages.ts'
import type { ShownModes } from './messages.ts'

/** A request's body is waited for, and its trailers are asked for. */
const WAITS = 'request head buffered/buffered'

describe('what Envoy shows, what is answered', () => {
  test.each<[string, readonly Input[], readonly string[]]>([
    [
      'a request with a body, its answer unread',
      [head(), whole, body('b'), pass, answerHead(), unread, gone],
      [
        'judge head',
        WAITS,
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
      ['judge head bodyless', 'request head', 'judge answer fixed', 'response head', 'end complete silent'],
    ],
    [
      'an answer that nobody reads, although Envoy ignores the override',
      [head(true), whole, answerHead(), unread, answerBody('a', true)],
      ['judge head bodyless', 'request head', 'judge answer', 'response head buffered/none', 'response body'],
    ],
    [
      'a body that is not marked as ended is whole: trailers follow',
      [head(), whole, body('b', false), pass, trailers],
      ['judge head', WAITS, 'judge body b', 'request body', 'request trailers'],
    ],
    [
      'trailers where the body should be: the body is empty, and judged',
      [head(), whole, trailers, pass],
      ['judge head', WAITS, 'judge body', 'request trailers'],
    ],
    [
      'trailers where the body should be leave no room for edits',
      [head(), whole, trailers, passEdited, refuse],
      ['judge head', WAITS, 'judge body', 'give up plumbline.unreadable', 'local', 'end refused ok'],
    ],
    [
      'an empty body is judged like any other',
      [head(), whole, body(''), pass],
      ['judge head', WAITS, 'judge body', 'request body'],
    ],
    [
      'a second, empty end of stream of a judged request is answered',
      [head(), whole, body('b'), pass, body('')],
      ['judge head', WAITS, 'judge body b', 'request body', 'request body'],
    ],
    [
      "Envoy's own answer, without a request",
      [answerHead(), streamed, answerBody('x', true), gone],
      ['judge answer fixed', 'response head buffered/none', 'response body', 'end complete silent'],
    ],
    [
      "Envoy's own answer while the body is awaited (413)",
      [head(), whole, answerHead(), streamed, answerBody('x', true), gone],
      [
        'judge head',
        WAITS,
        'judge answer fixed',
        'response head buffered/none',
        'response body',
        'end complete silent',
      ],
    ],
    [
      "Envoy's own answer while the head is judged waits its turn",
      [head(), answerHead(), whole, unread, gone],
      ['judge head', WAITS, 'judge answer fixed', 'response head buffered/none', 'end complete silent'],
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
    ['answer to hold', held],
    ['answer to edit', edit],
    ['whole answer', keep],
    ['refusal', refuse],
  ])('a verdict that nothing waits for is our own fault: %s', (_name, verdict) => {
    expect(run([verdict]).words).toEqual(['end failed INTERNAL'])
  })
})

describe('an answer that is held whole', () => {
  const before = [head(true), whole]
  const asked = ['judge head bodyless', 'request head', 'judge answer', 'response head']
  test.each<[string, readonly Input[], readonly string[]]>([
    [
      'goes on as it is',
      [answerHead(), held, answerBody('a', true), keep, gone],
      ['judge answer body a', 'response body', 'end complete silent'],
    ],
    [
      'becomes another',
      [answerHead(), held, answerBody('a', true), replace, gone],
      ['judge answer body a', 'response body = other', 'end complete silent'],
    ],
    [
      'becomes another, whose length has to be said',
      [sizedHead, held, answerBody('a', true), replace],
      ['judge answer body a', 'response body = other sized'],
    ],
    [
      'is refused',
      [answerHead(), held, answerBody('a', true), refuse],
      ['judge answer body a', 'local', 'end refused ok'],
    ],
    ['is empty', [answerHead(), held, answerBody('', true), keep], ['judge answer body', 'response body']],
    [
      'is not marked as ended: trailers follow',
      [answerHead(), held, answerBody('a'), replace, answerTrailers, gone],
      ['judge answer body a', 'response body = other', 'response trailers', 'end complete silent'],
    ],
    [
      'has trailers where the body should be',
      [answerHead(), held, answerTrailers, keep],
      ['judge answer body', 'response trailers'],
    ],
    [
      'has trailers where the body should be, so there is nothing to replace',
      [answerHead(), held, answerTrailers, replace, refuse],
      ['judge answer body', 'give up plumbline.unreadable', 'local', 'end refused ok'],
    ],
    [
      'ends twice',
      [answerHead(), held, answerBody('a', true), keep, answerBody('', true)],
      ['judge answer body a', 'response body', 'response body'],
    ],
    ['is refused before its body came: the process stops', [answerHead(), held, refuse], ['local', 'end refused ok']],
    [
      'comes in two parts, of which one was judged',
      [answerHead(), held, answerBody('a'), keep, answerBody('b', true)],
      ['judge answer body a', 'response body', 'end failed INVALID_ARGUMENT'],
    ],
    [
      'comes in two parts, of which one is being judged',
      [answerHead(), held, answerBody('a'), answerBody('b', true)],
      ['judge answer body a', 'end failed INVALID_ARGUMENT'],
    ],
    [
      'has trailers while the body is judged',
      [answerHead(), held, answerBody('a'), answerTrailers],
      ['judge answer body a', 'end failed INVALID_ARGUMENT'],
    ],
    [
      'is edited by somebody whom nobody asked',
      [answerHead(), held, write('x'), finish, breakOff, answerBody('a', true), write('x'), keep, finish],
      ['judge answer body a', 'response body'],
    ],
  ])('%s', (_name, inputs, words) => {
    expect(run([...before, ...inputs]).words).toEqual([...asked, ...words])
  })

  test('of an exempt request, whose modes are in force still', () => {
    expect(run([head(), exempt, answerHead(), held, answerBody('a', true), keep]).words.slice(2)).toEqual([
      'judge answer',
      'response head',
      'judge answer body a',
      'response body',
    ])
  })
})

describe('an answer that is edited', () => {
  const before = [head(true), whole, answerHead(), edit]
  const opened = [
    'judge head bodyless',
    'request head',
    'judge answer',
    'response head buffered/full_duplex',
    'open editor',
  ]
  test.each<[string, readonly Input[], readonly string[]]>([
    [
      'as it comes',
      [answerBody('a'), write('a'), answerBody('z', true), write('z'), finish, gone],
      ['feed a', 'piece a first', 'feed z last', 'piece z', 'piece  last', 'end complete silent'],
    ],
    [
      'in any number of pieces each way',
      [write('0'), answerBody('a'), answerBody('b'), write('1'), write('2'), answerBody('', true), finish],
      ['piece 0 first', 'feed a', 'feed b', 'piece 1', 'piece 2', 'feed  last', 'piece  last'],
    ],
    ['to nothing', [answerBody('a', true), finish], ['feed a last', 'piece  first last']],
    [
      'and ended early: what still comes is not wanted',
      [answerBody('a'), write('x'), finish, answerBody('b'), answerBody('', true), answerTrailers, gone],
      ['feed a', 'piece x first', 'piece  last', 'end complete silent'],
    ],
    [
      'and ends in trailers',
      [answerBody('a'), answerTrailers, write('a'), finish, gone],
      ['feed a', 'feed  last', 'piece a first', 'response trailers', 'end complete silent'],
    ],
    [
      'to nothing, and ends in trailers',
      [answerBody('a'), answerTrailers, finish],
      ['feed a', 'feed  last', 'response trailers'],
    ],
    [
      'and said by Envoy to end more than once',
      [answerBody('a', true), answerBody('', true), answerBody('b', true), answerTrailers, write('a'), finish],
      ['feed a last', 'piece a first', 'piece  last'],
    ],
    ['without a byte', [write(''), answerBody('a'), write('b')], ['feed a', 'piece b first']],
    [
      'and broken off',
      [answerBody('a'), write('x'), breakOff, write('y'), finish, breakOff],
      ['feed a', 'piece x first', 'end failed ABORTED'],
    ],
    ['and finished twice', [finish, finish, write('x'), breakOff], ['piece  first last']],
    ['after the client left', [gone, write('x'), finish, breakOff], ['end gone silent']],
    ['and refused, where that comes too late', [answerBody('a'), refuse], ['feed a', 'end failed INTERNAL']],
    ['by a verdict on all of it', [answerBody('a'), keep], ['feed a', 'end failed INTERNAL']],
    ['and has a second head', [answerHead()], ['end failed INVALID_ARGUMENT']],
  ])('%s', (_name, inputs, words) => {
    expect(run([...before, ...inputs]).words).toEqual([...opened, ...words])
  })

  test('of an exempt request', () => {
    expect(run([head(), exempt, answerHead(), edit]).words.slice(2)).toEqual([
      'judge answer',
      'response head none/full_duplex',
      'open editor',
    ])
  })

  test.each([
    [62_000, [62_000]],
    [62_001, [62_000, 1]],
    [150_000, [62_000, 62_000, 26_000]],
  ])('%d bytes at once leave in pieces', (length, expected) => {
    const { machine } = run(before)
    const bytes = Buffer.alloc(length, 'x')
    const { orders } = step(machine, { kind: 'edited', bytes })
    const pieces = orders.map((order) => (order.kind === 'reply' && order.reply.kind === 'piece' ? order.reply : NONE))
    expect(pieces.map((piece) => piece.bytes.length)).toEqual(expected)
    expect(pieces.map(({ first, last }) => [first, last])).toEqual(expected.map((_, i) => [i === 0, false]))
    // They are views of what was given, not copies.
    expect(pieces.every((piece) => piece.bytes.buffer === bytes.buffer)).toBe(true)
  })
})

const NONE = { bytes: new Uint8Array(0), first: false, last: false }

describe('an answer that cannot be held or changed', () => {
  const unkept = (response: ShownModes['response']) => head(true, { ...SHOWN, response })
  test.each<[string, readonly Input[], string]>([
    ['Envoy does not say that it keeps answers', [older(true), whole, answerHead()], 'unkept'],
    ['Envoy does not show answers', [unkept('none'), whole, answerHead()], 'unkept'],
    ['Envoy streams answers', [unkept('streamed'), whole, answerHead()], 'unkept'],
    ['Envoy shows answers in part', [unkept('buffered_partial'), whole, answerHead()], 'unkept'],
    ['it has no body', [head(true), whole, answerHead(true)], 'fixed'],
    ["it is Envoy's own, without a request", [answerHead()], 'fixed'],
    ["it is Envoy's own, amid the request", [head(), whole, answerHead()], 'fixed'],
    ["it is Envoy's own, and waited for the request's release", [head(), answerHead(), exempt], 'fixed'],
  ])('%s', (_name, inputs, form) => {
    expect(run(inputs).words.at(-1)).toBe(`judge answer ${form}`)
    for (const plan of [held, edit]) expect(run([...inputs, plan]).words.at(-1)).toBe('end failed INTERNAL')
    expect(run([...inputs, refuse]).words.slice(-2)).toEqual(['local', 'end refused ok'])
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
    ['awaiting the answer to hold', [head(true), whole, answerHead(), held]],
    ['judging the whole answer', [head(true), whole, answerHead(), held, answerBody('a', true)]],
    ['editing, nothing came', [head(true), whole, answerHead(), edit]],
    ['editing, all came', [head(true), whole, answerHead(), edit, answerBody('a', true), write('a')]],
    ['edited', [head(true), whole, answerHead(), edit, answerBody('a'), finish]],
    ['done', [head(true), whole, answerHead(), unread]],
  ]
  const expected: Readonly<Record<string, readonly [halfClosed: string, gone: string, stop: string]>> = {
    'nothing came': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'judging the head': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'awaiting the body': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'judging the body': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'upstream works': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'judging the answer': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'awaiting the answer to hold': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'judging the whole answer': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'editing, nothing came': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    'editing, all came': ['gone CANCELLED', 'gone silent', 'failed UNAVAILABLE'],
    edited: ['complete ok', 'complete silent', 'complete ok'],
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

test('trailers are asked for only where that leaves the mode of answers as it is', () => {
  expect(run([head(false, { ...SHOWN, response: 'none' }), whole]).words).toEqual(['judge head', 'request head'])
  expect(run([head(false, SHOWN), whole]).words).toEqual(['judge head', WAITS])
})

test('every mode override that a configuration has to allow is one of the seven pairs', () => {
  expect(MODE_PAIRS.map(({ request, response }) => `${request}/${response}`)).toEqual([
    'none/buffered',
    'buffered/none',
    'buffered/streamed',
    'buffered/full_duplex',
    'none/none',
    'none/streamed',
    'none/full_duplex',
  ])
})
