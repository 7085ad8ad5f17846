import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import type { ChatMessage } from '../../core/session.ts'
import {
  askSparc,
  inAnswer,
  onItsWay,
  placedSparc,
  proposed,
  recalled,
  talk,
} from '../../../test/support/gates/sparc.ts'

/*
 * A model that makes the same call again and again, whatever it is told. What it reads in between, ours and that of its
 * tools, names the value that it made up.
 */

const ID = fc
  .tuple(fc.stringMatching(/^[A-Z]{2,4}$/), fc.stringMatching(/^[1-9][0-9]{3,8}$/))
  .map(([letters, digits]) => `${letters}-${digits}`)

interface Round {
  /** What the model says beside its call. */
  readonly beside: (id: string) => string
  /** How the agent writes the answer to the call. */
  readonly written: (text: string) => string
  /** Whether that says which call it answers. */
  readonly linked: boolean
  /** What the user says then. */
  readonly reply: string | undefined
}

const ROUND: fc.Arbitrary<Round> = fc.record({
  beside: fc.constantFrom<Round['beside']>(
    () => '',
    () => 'One moment. ',
    (id) => `I take ${id} then. `,
  ),
  written: fc.constantFrom<Round['written']>(
    (text) => text,
    (text) => `Error: ${text} Nothing came back.`,
    (text) => JSON.stringify([{ type: 'text', text }]),
    (text) => JSON.stringify({ result: JSON.stringify({ text }) }),
    (text) => text.slice(0, -40),
  ),
  linked: fc.boolean(),
  reply: fc.option(fc.oneof(fc.constantFrom('go on', 'yes', 'I do not know.'), fc.lorem()), { nil: undefined }),
})

const TOOL = 'refund'
const argumentsOf = (id: string): string => JSON.stringify({ id })
const toolCalls = (id: string, callId: string) => [{ id: callId, tool: TOOL, argumentsText: argumentsOf(id) }]

const START: readonly ChatMessage[] = [
  { role: 'system', text: 'You pay money back.' },
  { role: 'user', text: 'Refund my last order, please.' },
]
const userSays = (text: string | undefined): readonly ChatMessage[] =>
  text === undefined ? [] : [{ role: 'user', text }]

interface Mode {
  readonly action: (id: string) => Action
  readonly exchange: (messages: readonly ChatMessage[]) => Exchange
  /** What stands in the conversation after a call that was answered like this. */
  readonly turn: (round: Round, id: string, answer: string, callId: string) => readonly ChatMessage[]
}

const MODES: Readonly<Record<'mcp' | 'inference', Mode>> = {
  mcp: {
    action: (id) => ({ kind: 'tool-call', tool: TOOL, args: { id }, effect: 'unknown', home: 'unstated' }),
    exchange: (messages) => onItsWay(recalled({ messages })),
    turn: ({ beside, written, linked, reply }, id, answer, callId) => [
      { role: 'assistant', text: beside(id), toolCalls: toolCalls(id, callId) },
      { role: 'tool', text: written(answer), ...(linked ? { toolCallId: callId } : {}) },
      ...userSays(reply),
    ],
  },
  inference: {
    action: (id) => proposed(TOOL, argumentsOf(id)),
    exchange: (messages) => inAnswer(talk(messages)),
    turn: ({ beside, written, reply }, id, answer) => [
      { role: 'assistant', text: beside(id) + written(answer) },
      ...userSays(reply ?? 'Well?'),
    ],
  },
}

describe.each(['mcp', 'inference'] as const)('a stubborn model, %s', (enforcement) => {
  const { action, exchange, turn } = MODES[enforcement]
  const gate = placedSparc({ reflector: 'embedded', enforcement })
  const rule = (id: string, messages: readonly ChatMessage[]) => askSparc(gate, action(id), exchange(messages))

  test('is stopped each time, and not once its user has given the value', async () => {
    await fc.assert(
      fc.asyncProperty(ID, fc.array(ROUND, { minLength: 1, maxLength: 6 }), async (id, rounds) => {
        const messages = [...START]
        for (const [at, round] of rounds.entries()) {
          const ruling = await rule(id, messages)
          expect(ruling).toMatchObject({ allow: false, run: { reason: 'reflected' } })
          const clarification = ruling.allow ? '' : (ruling.no.clarification ?? '')
          expect(clarification).toContain(id)
          messages.push(...turn(round, id, clarification, `call_${at}`))
        }
        expect((await rule(id, messages)).allow).toBe(false)
        expect((await rule(id, [...messages, { role: 'user', text: `It is ${id}.` }])).allow).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  const UNKNOWN = 'TX-4711'
  /** The call ran somewhere where nobody looks, and its tool answered. */
  const answered = (text: string, callId: string | undefined): readonly ChatMessage[] => [
    ...START,
    { role: 'assistant', text: '', toolCalls: toolCalls(UNKNOWN, 'c1') },
    { role: 'tool', text, ...(callId === undefined ? {} : { toolCallId: callId }) },
  ]
  test.each<[string, readonly ChatMessage[], boolean]>([
    ['an error that repeats the value', answered(`no such transaction ${UNKNOWN}`, 'c1'), false],
    ['an error that repeats it in another spelling', answered('{"error":"TX4711 not found"}', 'c1'), false],
    ['a result that repeats it beside other data', answered(`{"id":"${UNKNOWN}","amount":40}`, 'c1'), false],
    ['a result of a call that is not known', answered(`{"id":"${UNKNOWN}","amount":40}`, 'c9'), true],
    ['a result of no call', answered(`{"id":"${UNKNOWN}","amount":40}`, undefined), true],
    [
      'a result of another call',
      [
        ...answered(`no such transaction ${UNKNOWN}`, 'c1'),
        { role: 'assistant', text: '', toolCalls: [{ id: 'c1', tool: 'list', argumentsText: '{"of":"today"}' }] },
        { role: 'tool', text: `today: ${UNKNOWN}`, toolCallId: 'c1' },
      ],
      true,
    ],
  ])('%s: %#', async (_name, messages, grounded) => {
    expect((await rule(UNKNOWN, messages)).allow).toBe(grounded)
  })
})
