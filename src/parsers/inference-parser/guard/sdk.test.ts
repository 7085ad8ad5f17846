import { describe, expect, test } from 'vitest'
import {
  EVENTS,
  JSON_TYPE,
  play,
  playAll,
  refusing,
  type GuardedDialect,
} from '../../../../test/support/parsers/guarding.ts'
import { RECORDED, type RecordedCall } from '../../../../test/support/parsers/recorded.ts'
import { anthropicClient, openAiClient, type Heard } from '../../../../test/support/sdk/model-clients.ts'

const CLIENTS = { chat: openAiClient, anthropic: anthropicClient }
const STOPS = { chat: { calls: 'tool_calls', text: 'stop' }, anthropic: { calls: 'tool_use', text: 'end_turn' } }

/** What the official client makes of an answer. */
function heardBy(dialect: GuardedDialect, answer: string, type: string): Promise<Heard> {
  const fetched: typeof fetch = () => Promise.resolve(new Response(answer, { headers: { 'content-type': type } }))
  return CLIENTS[dialect]('http://model.test', fetched).ask([{ kind: 'user', text: 'Go' }], type === EVENTS)
}

function subsetsOf(calls: readonly RecordedCall[]): readonly (readonly RecordedCall[])[] {
  return calls.reduce<readonly (readonly RecordedCall[])[]>(
    (subsets, call) => [...subsets, ...subsets.map((subset) => [...subset, call])],
    [[]],
  )
}

const wordsFor = ({ name }: { readonly name: string }): string => `Not ${name}.`

function expected(
  dialect: GuardedDialect,
  said: string,
  calls: readonly RecordedCall[],
  no: readonly RecordedCall[],
): Heard {
  const kept = calls.filter((call) => !no.includes(call))
  const texts = [said, ...no.map(wordsFor)].filter((text) => text !== '')
  return {
    text: texts.join(dialect === 'chat' ? '\n\n' : ''),
    calls: kept,
    stop: kept.length > 0 ? STOPS[dialect].calls : STOPS[dialect].text,
    hasCallsKey: kept.length > 0,
  }
}

function guarded(dialect: GuardedDialect, type: string, answer: string, no: readonly RecordedCall[]): string {
  return playAll(dialect, type, [answer], ({ action: { tool } }) =>
    no.some(({ name }) => name === tool) ? refusing(wordsFor({ name: tool })) : undefined,
  ).out
}

describe.each(RECORDED.filter(({ notForClient }) => notForClient !== true))(
  '$name, by the official client',
  (recorded) => {
    const { dialect, events, text, calls } = recorded
    test.each(subsetsOf(calls).map((no) => [no.map(({ name }) => name).join(' and ') || 'nothing', no] as const))(
      'without %s',
      async (_, no) => {
        const answer = guarded(dialect, EVENTS, events.join(''), no)
        expect(await heardBy(dialect, answer, EVENTS)).toEqual(expected(dialect, text, calls, no))
      },
    )
  },
)

const CALLS: readonly RecordedCall[] = [
  { id: 'a1', name: 'lookup', args: { n: 1 } },
  { id: 'b2', name: 'refund', args: {} },
]

const PIECES: Readonly<Record<GuardedDialect, unknown>> = {
  chat: {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'Well.',
          tool_calls: CALLS.map(({ id, name, args }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        },
      },
    ],
  },
  anthropic: {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'text', text: 'Well.' },
      ...CALLS.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
}

describe.each(['chat', 'anthropic'] as const)('%s in one piece, by the official client', (dialect) => {
  test.each(subsetsOf(CALLS).map((no) => [no.map(({ name }) => name).join(' and ') || 'nothing', no] as const))(
    'without %s',
    async (_, no) => {
      const answer = guarded(dialect, JSON_TYPE, JSON.stringify(PIECES[dialect]), no)
      expect(await heardBy(dialect, answer, JSON_TYPE)).toEqual(expected(dialect, 'Well.', CALLS, no))
    },
  )
})

describe('given up, by the official client', () => {
  test.each(RECORDED.filter(({ notForClient }) => notForClient !== true).map((each) => [each.name, each] as const))(
    '%s ends in words, wherever it was',
    async (_, { dialect, events }) => {
      const calling = events.findIndex((event) => /tool_calls":|tool_use/.test(event))
      for (let upTo = 0; upTo <= calling + 1; upTo++) {
        const player = play(dialect, EVENTS)
        for (const event of events.slice(0, upTo)) player.feed(event)
        player.abandon(refusing('Ask your user.'))
        const heard = await heardBy(dialect, player.out, EVENTS)
        expect(heard.text).toMatch(/Ask your user\.$/)
        expect(heard).toMatchObject({ calls: [], stop: STOPS[dialect].text, hasCallsKey: false })
      }
    },
  )

  test.each(RECORDED.filter(({ notForClient }) => notForClient !== true).map((each) => [each.name, each] as const))(
    '%s says no more once it has said why it stopped, and is whole all the same',
    async (_, { dialect, events, text }) => {
      const isCall = (event: string): boolean => /tool_calls":\[|"index":[2-9]/.test(event)
      const stopsAt = events.findIndex((event) => /finish_reason":"|"message_delta"/.test(event))
      const player = play(dialect, EVENTS)
      for (const event of events.slice(0, stopsAt + 1)) if (!isCall(event)) player.feed(event)
      for (const event of events.filter(isCall)) player.feed(event)
      player.abandon(refusing('Ask your user.'))
      const heard = await heardBy(dialect, player.out, EVENTS)
      expect(heard).toMatchObject({ text, calls: [] })
      expect(player.guard.changed).toBe(true)
    },
  )
})
