import fc from 'fast-check'
import type { GuardedDialect } from './guarding.ts'

/** A made-up call, every part of which is found nowhere else. */
export interface MadeCall {
  readonly id: string
  readonly name: string
  readonly argumentsText: string
}

/** A made-up stream. */
export interface Made {
  readonly dialect: GuardedDialect
  readonly events: readonly string[]
  readonly calls: readonly MadeCall[]
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

/** Parts that keep their order among themselves, mixed in any way. */
function interleaved(parts: readonly (readonly string[])[], dice: readonly number[]): readonly string[] {
  const rest = parts.map((part) => [...part])
  const mixed: string[] = []
  for (let turn = 0; rest.some((part) => part.length > 0); turn++) {
    const open = rest.filter((part) => part.length > 0)
    const next = open[(dice[turn % dice.length] ?? 0) % open.length]?.shift()
    if (next !== undefined) mixed.push(next)
  }
  return mixed
}

/** What a call is given, cut anywhere. Some of it is no JSON. */
const argumentPieces = (canary: string): fc.Arbitrary<readonly string[]> =>
  fc
    .record({
      text: fc.constantFrom(
        `{"q":"${canary}","u":"ü你"}`,
        `{"${canary}":{}}`,
        `{"q":"${canary}`,
        `{"q":1,"q":"${canary}"}`,
      ),
      places: fc.array(fc.nat({ max: 20 }), { maxLength: 3 }),
    })
    .map(({ text, places }) => {
      const ends = [...places.filter((place) => place < text.length).sort((a, b) => a - b), text.length]
      return ends.map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end))
    })

const noise = fc.array(
  fc.constantFrom(
    ': ping\n\n',
    'retry: 5\n\n',
    'data:\n\n',
    data({ type: 'ping' }),
    data({ choices: [], usage: { total_tokens: 1 } }),
  ),
  { maxLength: 3 },
)
const dice = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 40 })
const words = fc.array(fc.constantFrom('So ', 'then', '…'), { maxLength: 3 })

interface MadePart {
  readonly pieces: readonly string[]
  readonly call: MadeCall
}

function callParts(prefix: string, max: number): fc.Arbitrary<readonly MadePart[]> {
  return fc.nat({ max }).chain((count) =>
    fc.tuple(
      ...Array.from({ length: count }, (_, index) =>
        argumentPieces(`ARG${prefix}${index}ARG`).map((pieces) => ({
          pieces,
          call: { id: `ID${prefix}${index}ID`, name: `NAME${prefix}${index}NAME`, argumentsText: pieces.join('') },
        })),
      ),
    ),
  )
}

/** One alternative of a chat completion: text, then calls whose fragments may be mixed, then its reason. */
function chatChoice(
  index: number,
): fc.Arbitrary<{ readonly events: readonly string[]; readonly calls: readonly MadeCall[] }> {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    data({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index, delta, finish_reason }],
    })
  return fc
    .record({
      words,
      parts: callParts(`c${index}n`, 3),
      dice,
      mixed: fc.boolean(),
      reason: fc.constantFrom('tool_calls', 'stop'),
    })
    .map(({ words: said, parts, dice: rolls, mixed, reason }) => {
      const fragments = parts.map(({ pieces, call }, at) =>
        pieces.map((text, position) =>
          chunk({
            tool_calls: [
              position === 0
                ? { index: at, id: call.id, type: 'function', function: { name: call.name, arguments: text } }
                : { index: at, function: { arguments: text } },
            ],
          }),
        ),
      )
      const calls = mixed ? interleaved(fragments, rolls) : fragments.flat()
      const texts = said.map((content) => chunk({ content }))
      return {
        events: [
          chunk({ role: 'assistant', content: '' }),
          ...interleaved([texts, calls], mixed ? rolls : [0]),
          chunk({}, reason),
        ],
        calls: parts.map(({ call }) => call),
      }
    })
}

export const madeChat: fc.Arbitrary<Made> = fc
  .record({
    choices: fc.tuple(chatChoice(0), fc.option(chatChoice(1), { nil: undefined })),
    noise,
    dice,
    mark: fc.boolean(),
  })
  .map(({ choices, noise: between, dice: rolls, mark }) => {
    const there = choices.filter((choice) => choice !== undefined)
    return {
      dialect: 'chat',
      events: [
        ...interleaved([...there.map(({ events }) => events), between], rolls),
        ...(mark ? ['data: [DONE]\n\n'] : []),
      ],
      calls: there.flatMap(({ calls }) => calls),
    }
  })

/** A message of Anthropic's: blocks of text and calls, whose events may be mixed; they begin in their order. */
export const madeAnthropic: fc.Arbitrary<Made> = fc
  .record({ words, parts: callParts('b', 3), noise, dice, mixed: fc.boolean() })
  .map(({ words: said, parts, noise: between, dice: rolls, mixed }) => {
    const event = (value: { readonly type: string } & Readonly<Record<string, unknown>>): string =>
      `event: ${value.type}\n${data(value)}`
    const block = (index: number, content_block: object, deltas: readonly object[]): readonly string[] => [
      event({ type: 'content_block_start', index, content_block }),
      ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]
    const blocks = [
      block(
        0,
        { type: 'text', text: '' },
        said.map((text) => ({ type: 'text_delta', text })),
      ),
      ...parts.map(({ pieces, call: { id, name } }, at) =>
        block(
          at + 1,
          { type: 'tool_use', id, name, input: {} },
          pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
        ),
      ),
    ]
    // The starts keep their order, so each later block waits until the one before has begun.
    const order = mixed
      ? blocks.reduce<readonly string[]>(
          (all, next) => [
            ...all.slice(0, 1 + all.length / 2),
            ...interleaved([all.slice(1 + all.length / 2), next], rolls),
          ],
          [],
        )
      : blocks.flat()
    const start = {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'x',
      content: [],
      stop_reason: null,
      usage: {},
    }
    return {
      dialect: 'anthropic',
      events: [
        event({ type: 'message_start', message: start }),
        ...interleaved([order, between], rolls),
        event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } }),
        event({ type: 'message_stop' }),
      ],
      calls: parts.map(({ call }) => call),
    }
  })
