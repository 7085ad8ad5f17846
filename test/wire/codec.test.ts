import { describe, expect, test } from 'vitest'
import { checkEdits, NO_EDITS } from '../../src/extproc/edits.ts'
import { localAnswer } from '../../src/extproc/local-answer.ts'
import { ANSWER_MODES, EXEMPT_MODES, MODE_PAIRS, WHOLE_MODES } from '../../src/extproc/messages.ts'
import type { Ask, Reply } from '../../src/extproc/messages.ts'
import { decodeAsk, encodeReply } from '../../src/extproc/wire.ts'
import { read, write } from './by-hand.ts'
import type { Shape, Written } from './by-hand.ts'

// Field numbers are written out here, and come from Envoy's published definitions, not from proto/.

describe('what Envoy sends', () => {
  const header = (key: string, raw: Uint8Array | string): Written => [
    [1, key],
    [3, Buffer.from(raw)],
  ]
  const headers = (last: boolean, ...list: Written[]): Written => [
    [1, list.map((one) => [1, one] as const)],
    ...(last ? [[3, true] as const] : []),
  ]
  test.each<[string, Written, Ask]>([
    [
      'a request head with every byte of its values, and duplicates in their order',
      [
        [
          2,
          headers(false, header(':path', '/a?b'), header('x-a', Uint8Array.of(0xff, 0x41, 0xc3)), header('x-a', '2')),
        ],
        [
          11,
          [
            [1, 2],
            [2, 2],
          ],
        ],
      ],
      {
        kind: 'head',
        half: 'request',
        pairs: [
          [':path', '/a?b'],
          ['x-a', '\u00ffA\u00c3'],
          ['x-a', '2'],
        ],
        last: false,
        modes: { request: 'buffered', response: 'buffered', early: false },
      },
    ],
    [
      'a request head that nothing follows',
      [[2, headers(true, header('a', '1'))]],
      { kind: 'head', half: 'request', pairs: [['a', '1']], last: true, modes: undefined },
    ],
    [
      'modes that are absent in protocol_config are NONE',
      [
        [2, headers(true)],
        [11, []],
      ],
      {
        kind: 'head',
        half: 'request',
        pairs: [],
        last: true,
        modes: { request: 'none', response: 'none', early: false },
      },
    ],
    [
      'a mode that is newer than this code',
      [
        [2, headers(true)],
        [
          11,
          [
            [1, 2],
            [2, 9],
            [3, true],
          ],
        ],
      ],
      {
        kind: 'head',
        half: 'request',
        pairs: [],
        last: true,
        modes: { request: 'buffered', response: 'unknown', early: true },
      },
    ],
    [
      'a value in `value`, from another data plane than Envoy',
      [
        [
          2,
          [
            [
              1,
              [
                [
                  1,
                  [
                    [1, 'X-A'],
                    [2, 'é'],
                  ],
                ],
              ],
            ],
          ],
        ],
      ],
      { kind: 'head', half: 'request', pairs: [['x-a', '\u00c3\u00a9']], last: false, modes: undefined },
    ],
    [
      'an answer head',
      [[3, headers(false, header(':status', '200'))]],
      { kind: 'head', half: 'response', pairs: [[':status', '200']], last: false, modes: undefined },
    ],
    [
      'a request body with bytes that are no text',
      [
        [
          4,
          [
            [1, Uint8Array.of(0, 0xff, 0x80)],
            [2, true],
          ],
        ],
      ],
      { kind: 'body', half: 'request', bytes: Buffer.of(0, 0xff, 0x80), last: true },
    ],
    ['an empty request body', [[4, []]], { kind: 'body', half: 'request', bytes: Buffer.alloc(0), last: false }],
    [
      'an answer body',
      [[5, [[1, Buffer.from('a')]]]],
      { kind: 'body', half: 'response', bytes: Buffer.from('a'), last: false },
    ],
    ['request trailers', [[6, [[1, [[1, header('t', '1')]]]]]], { kind: 'trailers', half: 'request' }],
    ['answer trailers', [[7, []]], { kind: 'trailers', half: 'response' }],
    [
      'attributes and metadata beside a head',
      [
        [2, headers(true)],
        [8, []],
        [
          9,
          [
            [1, 'k'],
            [2, []],
          ],
        ],
      ],
      { kind: 'head', half: 'request', pairs: [], last: true, modes: undefined },
    ],
    [
      'a head in observability mode',
      [
        [2, headers(true)],
        [10, true],
      ],
      { kind: 'observing' },
    ],
    ['no member', [[11, [[1, 2]]]], { kind: 'nothing' }],
    ['nothing at all', [], { kind: 'nothing' }],
    ['a member that we do not know', [[99, [[1, 'x']]]], { kind: 'nothing' }],
  ])('%s', (_name, sent, ask) => {
    expect(decodeAsk(write(sent))).toEqual(ask)
  })

  test.each(['ff', '12', '0a05', '12047a'])('bytes that are no message are refused: %s', (hex) => {
    expect(() => decodeAsk(Buffer.from(hex, 'hex'))).toThrow()
  })
})

describe('what we send', () => {
  const EDITED: Shape = { 1: { 1: { 1: 'text', 3: 'bytes' } }, 2: 'text' }
  const COMMON: Shape = { 1: { 2: EDITED } }
  const MODES: Shape = { 1: 'number', 2: 'number', 3: 'number', 4: 'number', 5: 'number', 6: 'number' }
  const REPLY: Shape = {
    1: COMMON,
    2: COMMON,
    3: COMMON,
    4: { 1: { 2: EDITED, 3: { 1: 'bytes', 3: { 1: 'bytes', 2: 'number' } } } },
    5: { 1: EDITED },
    6: { 1: EDITED },
    7: { 1: { 1: 'number' }, 2: EDITED, 3: 'bytes', 5: 'text' },
    9: MODES,
  }
  const edits = checkEdits({
    set: [
      ['traceparent', '00-1'],
      ['x-latin', 'caf\u00e9'],
    ],
    remove: ['x-plumbline-session'],
  })
  const written: Written = [
    [
      1,
      [
        [
          1,
          [
            [1, 'traceparent'],
            [3, '00-1'],
          ],
        ],
      ],
    ],
    [
      1,
      [
        [
          1,
          [
            [1, 'x-latin'],
            [3, 'caf\u00e9'],
          ],
        ],
      ],
    ],
    [2, 'x-plumbline-session'],
  ]
  const length = (value: string): Written => [
    [
      1,
      [
        [
          1,
          [
            [1, 'content-length'],
            [3, value],
          ],
        ],
      ],
    ],
  ]
  const answer = localAnswer({
    status: 403,
    headers: [['content-type', 'application/json']],
    body: Buffer.of(0x7b, 0xff, 0x7d),
    details: 'ibac.blocked',
  })
  /** SEND is 1, for headers both ways and trailers both ways. NONE is written as well, though it need not be. */
  const modes = (request: number, response: number): Written => [
    [1, 1],
    [2, 1],
    [3, request],
    [4, response],
    [5, 1],
    [6, 1],
  ]

  test.each<[string, Reply, Written]>([
    [
      'go on behind a request head',
      { kind: 'head', half: 'request', edits: NO_EDITS, modes: undefined },
      [[1, [[1, []]]]],
    ],
    ['edit a request head', { kind: 'head', half: 'request', edits, modes: undefined }, [[1, [[1, [[2, written]]]]]]],
    [
      'edit a request head and let its body pass',
      { kind: 'head', half: 'request', edits, modes: EXEMPT_MODES },
      [
        [1, [[1, [[2, written]]]]],
        [9, modes(0, 2)],
      ],
    ],
    [
      'let a request body pass',
      { kind: 'head', half: 'request', edits: NO_EDITS, modes: EXEMPT_MODES },
      [
        [1, [[1, []]]],
        [9, modes(0, 2)],
      ],
    ],
    [
      'wait for a request body, or trailers',
      { kind: 'head', half: 'request', edits: NO_EDITS, modes: WHOLE_MODES },
      [
        [1, [[1, []]]],
        [9, modes(2, 2)],
      ],
    ],
    [
      'go on behind an answer head',
      { kind: 'head', half: 'response', edits: NO_EDITS, modes: undefined },
      [[2, [[1, []]]]],
    ],
    [
      'ask for no answer body',
      { kind: 'head', half: 'response', edits: NO_EDITS, modes: ANSWER_MODES.buffered.none },
      [
        [2, [[1, []]]],
        [9, modes(2, 0)],
      ],
    ],
    [
      'ask for an answer in pieces',
      { kind: 'head', half: 'response', edits: NO_EDITS, modes: ANSWER_MODES.buffered.stream },
      [
        [2, [[1, []]]],
        [9, modes(2, 1)],
      ],
    ],
    [
      'the same, exempt',
      { kind: 'head', half: 'response', edits: NO_EDITS, modes: ANSWER_MODES.none.none },
      [
        [2, [[1, []]]],
        [9, modes(0, 0)],
      ],
    ],
    [
      'the same, exempt, in pieces',
      { kind: 'head', half: 'response', edits: NO_EDITS, modes: ANSWER_MODES.none.stream },
      [
        [2, [[1, []]]],
        [9, modes(0, 1)],
      ],
    ],
    ['go on behind a request body', { kind: 'body', half: 'request', edits: NO_EDITS }, [[3, [[1, []]]]]],
    ['edit the head behind a request body', { kind: 'body', half: 'request', edits }, [[3, [[1, [[2, written]]]]]]],
    ['go on behind an answer body', { kind: 'body', half: 'response', replacement: undefined }, [[4, [[1, []]]]]],
    [
      'edit an answer piece by piece, whatever length its head says',
      { kind: 'head', half: 'response', edits: NO_EDITS, modes: ANSWER_MODES.buffered.edit },
      [
        [2, [[1, [[2, [[2, 'content-length']]]]]]],
        [9, modes(2, 4)],
      ],
    ],
    [
      'the same, exempt, with edits of the head',
      { kind: 'head', half: 'response', edits, modes: ANSWER_MODES.none.edit },
      [
        [2, [[1, [[2, [...written, [2, 'content-length']]]]]]],
        [9, modes(0, 4)],
      ],
    ],
    [
      'the first piece, which makes Envoy fail where it ignored the mode',
      { kind: 'piece', bytes: Buffer.of(0x61, 0xff), first: true, last: false },
      [
        [
          4,
          [
            [
              1,
              [
                [2, length('1')],
                [3, [[3, [[1, 'a\u00ff']]]]],
              ],
            ],
          ],
        ],
      ],
    ],
    [
      'a piece',
      { kind: 'piece', bytes: Buffer.from('a'), first: false, last: false },
      [[4, [[1, [[3, [[3, [[1, 'a']]]]]]]]]],
    ],
    [
      'the end',
      { kind: 'piece', bytes: Buffer.alloc(0), first: false, last: true },
      [
        [
          4,
          [
            [
              1,
              [
                [
                  3,
                  [
                    [
                      3,
                      [
                        [1, ''],
                        [2, 1],
                      ],
                    ],
                  ],
                ],
              ],
            ],
          ],
        ],
      ],
    ],
    [
      'another answer body, with its length and edits of the head',
      { kind: 'body', half: 'response', replacement: { edits, body: Buffer.of(0xff, 0x62, 0x63), sized: true } },
      [
        [
          4,
          [
            [
              1,
              [
                [2, [...written.slice(0, 2), ...length('3'), ...written.slice(2)]],
                [3, [[1, '\u00ffbc']]],
              ],
            ],
          ],
        ],
      ],
    ],
    [
      'another answer body, whose length nobody said',
      { kind: 'body', half: 'response', replacement: { edits: NO_EDITS, body: Buffer.from('b'), sized: false } },
      [[4, [[1, [[3, [[1, 'b']]]]]]]],
    ],
    [
      'an empty answer body',
      { kind: 'body', half: 'response', replacement: { edits: NO_EDITS, body: Buffer.alloc(0), sized: true } },
      [
        [
          4,
          [
            [
              1,
              [
                [2, length('0')],
                [3, [[1, '']]],
              ],
            ],
          ],
        ],
      ],
    ],
    ['go on behind request trailers', { kind: 'trailers', half: 'request' }, [[5, []]]],
    ['go on behind answer trailers', { kind: 'trailers', half: 'response' }, [[6, []]]],
    [
      'answer in the upstream’s stead',
      { kind: 'local', answer },
      [
        [
          7,
          [
            [1, [[1, 403]]],
            [
              2,
              [
                [
                  1,
                  [
                    [
                      1,
                      [
                        [1, 'content-type'],
                        [3, 'application/json'],
                      ],
                    ],
                  ],
                ],
              ],
            ],
            [3, '{\u00ff}'],
            [5, 'ibac.blocked'],
          ],
        ],
      ],
    ],
  ])('%s', (_name, reply, expected) => {
    const bytes = encodeReply(reply)
    expect(bytes.length).toBeGreaterThan(0)
    expect(read(bytes, REPLY)).toEqual(expected)
    // A reply that is kept encoded must not have changed by being sent.
    expect(encodeReply(reply)).toEqual(bytes)
  })

  test('every pair of modes is sent whole', () => {
    for (const pair of MODE_PAIRS) {
      const sent = read(encodeReply({ kind: 'head', half: 'response', edits: NO_EDITS, modes: pair }), REPLY)
      const numbers = { none: 0, buffered: 2, streamed: 1, full_duplex: 4 } as const
      expect(sent).toContainEqual([9, modes(numbers[pair.request], numbers[pair.response])])
    }
  })
})
