import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import {
  EVENTS,
  JSON_TYPE,
  play,
  refusing,
  type GuardedDialect,
  type Player,
} from '../../../../test/support/parsers/guarding.ts'

/** Names the call that a hostile server wants to bring to the client. */
const BAD = 'wipe_disk'
const NO = refusing('No.')

/** Drives the guard as the pipeline does where every gate rejects all, and nothing fails open. */
function refuseAll(dialect: GuardedDialect, type: string, answer: Uint8Array, step: number): Player {
  const player = play(dialect, type)
  let ruled = 0
  const settle = (): void => {
    for (; ruled < player.calls.length; ruled++) player.rule(player.calls[ruled]?.id ?? -1, NO)
    if (player.unreadable.length > 0) player.abandon(NO)
  }
  for (let at = 0; at < answer.length; at += step) {
    player.feed(answer.subarray(at, at + step))
    settle()
  }
  player.end()
  settle()
  return player
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const named = (name: string, value: unknown): string => `event: ${name}\n${data(value)}`
const DONE = 'data: [DONE]\n\n'

const fn = { name: BAD, arguments: '{"all":true}' }
const call = { index: 0, id: 'k1', type: 'function', function: fn }
const calling = { role: 'assistant', content: null, tool_calls: [call] }
const choice = { index: 0, delta: calling, finish_reason: null }
const chunk = (...choices: readonly unknown[]): object => ({ id: 'c1', object: 'chat.completion.chunk', choices })
const role = data(chunk({ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }))
const stop = data(chunk({ index: 0, delta: {}, finish_reason: 'tool_calls' }))
const inChat = (...events: readonly string[]): string => role + events.join('') + stop + DONE
const fragments = (...deltas: readonly object[]): string =>
  inChat(...deltas.map((each) => data(chunk({ index: 0, delta: { tool_calls: [each] }, finish_reason: null }))))

const block = { type: 'tool_use', id: 'u1', name: BAD, input: {} }
const message = {
  ...{ id: 'm1', type: 'message', role: 'assistant', model: 'x', stop_reason: null, stop_sequence: null },
  ...{ content: [], usage: { input_tokens: 1, output_tokens: 1 } },
}
const event = (type: string, rest: object = {}): string => named(type, { type, ...rest })
const start = event('message_start', { message })
const blockStart = { index: 0, content_block: block }
const blockStop = event('content_block_stop', { index: 0 })
const END =
  event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 2 } }) +
  event('message_stop')
const inMessage = (...events: readonly string[]): string => start + events.join('') + END

type Attack = readonly [name: string, answer: string | Uint8Array, type?: string]

const ANY_DIALECT: readonly Attack[] = [
  ['Ollama’s line', JSON.stringify({ model: 'm', message: { role: 'assistant', tool_calls: [call] }, done: true })],
  ['Responses', JSON.stringify({ output: [{ type: 'function_call', call_id: 'k', ...fn }] })],
  ['an event of Responses', data({ type: 'response.output_item.done', item: { type: 'function_call', ...fn } })],
  ['Gemini', JSON.stringify({ candidates: [{ content: { parts: [{ functionCall: { name: BAD, args: {} } }] } }] })],
  ['Gemini’s list', JSON.stringify([{ candidates: [{ content: { parts: [{ functionCall: { name: BAD } }] } }] }])],
  ['Bedrock', JSON.stringify({ output: { message: { content: [{ toolUse: { name: BAD, input: {} } }] } } })],
  ['a message alone', JSON.stringify(calling)],
  ['a call alone', JSON.stringify({ name: BAD, arguments: {} })],
  ['a list of calls', JSON.stringify([call])],
  ['lines of JSON', `${JSON.stringify({ choices: [] })}\n${JSON.stringify({ message: calling })}\n`],
  ['JSON in a text', JSON.stringify(JSON.stringify(chunk(choice)))],
  ['UTF-16', Buffer.from(JSON.stringify(chunk(choice)), 'utf16le')],
  ['a byte order mark', `\ufeff${JSON.stringify({ choices: [{ message: calling }] })}`],
  ['another character set', JSON.stringify({ choices: [{ message: calling }] }), 'application/json; charset=utf-16'],
  ['two types', JSON.stringify({ message: calling }), 'application/json, text/event-stream'],
  ['multipart', `--b\r\ncontent-type: application/json\r\n\r\n${JSON.stringify({ message: calling })}\r\n--b--`],
]

const CHAT: readonly Attack[] = [
  ...ANY_DIALECT,
  ['a call', inChat(data(chunk(choice)))],
  ['a call under JSON’s type', inChat(data(chunk(choice))), JSON_TYPE],
  ['JSON under the type of events', JSON.stringify({ choices: [{ index: 0, message: calling }] }), EVENTS],
  ['a chunk as the whole answer', JSON.stringify(chunk(choice))],
  ['a whole message in a chunk', inChat(data(chunk({ index: 0, delta: {}, message: calling })))],
  ['Anthropic’s message', JSON.stringify({ ...message, content: [block] })],
  ['Anthropic’s events', inMessage(event('content_block_start', blockStart), blockStop)],
  ['a message beside choices', JSON.stringify({ choices: [], message: calling })],
  ['an item beside choices', inChat(data({ choices: [], item: { type: 'function_call', ...fn } }))],
  ['calls beside choices', JSON.stringify({ choices: [], tool_calls: [call] })],
  ['calls beside the message', JSON.stringify({ choices: [{ message: { role: 'assistant' }, tool_calls: [call] }] })],
  ['an error with calls', JSON.stringify({ error: { code: 1 }, message: calling })],
  ['a call among the content', JSON.stringify({ choices: [{ message: { role: 'assistant', content: [block] } }] })],
  ['calls by an escaped name', inChat(data(chunk(choice)).replace('"tool_calls"', String.raw`"\u0074ool_c\u0061lls"`))],
  ['calls as an object', JSON.stringify({ choices: [{ message: { ...calling, tool_calls: { 0: call } } }] })],
  ['calls as a text', JSON.stringify({ choices: [{ message: { ...calling, tool_calls: JSON.stringify([call]) } }] })],
  ['choices as an object', JSON.stringify({ choices: { 0: { message: calling } } })],
  ['both kinds of calls', JSON.stringify({ choices: [{ message: { ...calling, function_call: fn } }] })],
  ['a legacy call', inChat(data(chunk({ index: 0, delta: { function_call: fn } })))],
  ['a custom call', inChat(data(chunk({ index: 0, delta: { tool_calls: [{ index: 0, custom: { name: BAD } }] } })))],
  ...[-1, 1e300, 0.5, '0', 2 ** 53, [0]].map((index): Attack => [
    `the index ${JSON.stringify(index)}`,
    inChat(data(chunk({ index: 0, delta: { tool_calls: [{ ...call, index }] } }))),
  ]),
  ...[7, 2 ** 31].map((index): Attack => [`the index ${index}`, fragments({ ...call, index })]),
  ['a choice with a high index', inChat(data(chunk({ ...choice, index: 100 })))],
  ['a choice twice in one event', inChat(data(chunk(choice, choice)))],
  [
    '128 choices',
    JSON.stringify({ choices: Array.from({ length: 128 }, (_, index) => ({ index, message: calling })) }),
  ],
  ['200 calls', fragments(...Array.from({ length: 200 }, (_, index) => ({ ...call, index, id: `k${index}` })))],
  [
    'a megabyte of arguments',
    JSON.stringify({
      choices: [{ message: { tool_calls: [{ id: 'k', function: { ...fn, arguments: 'x'.repeat(2 ** 20) } }] } }],
    }),
  ],
  ['deep arguments', fragments({ ...call, function: { name: BAD, arguments: '['.repeat(5000) } })],
  ['arguments with a key twice', fragments({ ...call, function: { name: BAD, arguments: '{"a":1,"a":2}' } })],
  ['a call after its finish', inChat(stop, data(chunk(choice)))],
  ['a call after the mark', inChat(DONE, data(chunk(choice)))],
  ['a call in an event that never ends', role + data(chunk(choice)).trimEnd()],
  ['a name in pieces', fragments({ ...call, function: { name: 'wipe_' } }, { index: 0, function: { name: 'disk' } })],
  ['a name that changes', fragments({ ...call, function: { name: 'look' } }, { index: 0, function: { name: BAD } })],
  ['an id that changes', fragments({ ...call, id: 'a' }, { ...call, id: 'b', function: {} })],
  ['a carriage return', `${role}data: {}\rdata: ${JSON.stringify(chunk(choice))}\n\n${DONE}`],
  ['an indented line', `${role} data: ${JSON.stringify(chunk(choice))}\n\n${DONE}`],
  ['JSON without a field', `${role}${JSON.stringify(chunk(choice))}\n\n${DONE}`],
  ['a field in capitals', `${role}Data: ${JSON.stringify(chunk(choice))}\n\n${DONE}`],
  ...['\v', '\f', '\x1c', '\x1d', '\x1e', '\x85', '\u2028', '\u2029'].map((sign): Attack => [
    // Python’s `str.splitlines`, by which several clients read, ends a line there.
    `a comment that ends in U+${sign.charCodeAt(0).toString(16)}`,
    `${role}: x${sign}data: ${JSON.stringify(chunk(choice))}\n\n${DONE}`,
  ]),
  ['a name that ends in U+2028', `${role}event: x\u2028data: ${JSON.stringify(chunk(choice))}\n\n${DONE}`],
  ['a control before the field', `${role}\x1fdata: ${JSON.stringify(chunk(choice))}\n\n${DONE}`],
  ['a comment with data', `${role}: data: ${JSON.stringify(chunk(choice))}\n\n${DONE}`],
  ['an id with data', `${role}id: data:${JSON.stringify(chunk(choice))}\n\n${DONE}`],
  [
    'a chunk on a line of its own',
    `${role}data: {"id":"c","choices":[],"x":\ndata: ${JSON.stringify(chunk(choice))}\ndata: }\n\n${DONE}`,
  ],
  ['a name that openai does not read', role + named('thread.run', chunk(choice)) + DONE],
  [
    'a record of openai’s own relay',
    data({ ...chunk(), object: `chat.completion.chunk.message:${JSON.stringify(calling)}` }),
  ],
]

const ANTHROPIC: readonly Attack[] = [
  ...ANY_DIALECT,
  ['a call', inMessage(event('content_block_start', blockStart), blockStop)],
  ['a call under JSON’s type', inMessage(event('content_block_start', blockStart), blockStop), JSON_TYPE],
  ['JSON under the type of events', JSON.stringify({ ...message, content: [block] }), EVENTS],
  ['a chat’s chunk', inChat(data(chunk(choice)))],
  ['a chat’s answer', JSON.stringify({ choices: [{ message: calling }] })],
  ...['x', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_start', 'ping', null].map(
    (type): Attack => [
      `content of type ${String(type)}`,
      JSON.stringify({ ...message, ...blockStart, delta: {}, message, content: [block], type }),
    ],
  ),
  ['content with an error', JSON.stringify({ ...message, content: [block], type: 'error', error: {} })],
  ['a message with calls', inMessage(event('x')).replace('"content":[]', `"content":[${JSON.stringify(block)}]`)],
  ['content that is a block', JSON.stringify({ ...message, content: block })],
  ['a block without a type of its event', start + named('content_block_start', blockStart) + blockStop + END],
  ['another name of the event', inMessage(named('ping', { type: 'content_block_start', ...blockStart }), blockStop)],
  ['another type of the event', inMessage(named('content_block_start', { type: 'ping', ...blockStart }), blockStop)],
  ['a block that never stops', start + event('content_block_start', blockStart)],
  ['a block before the message', event('content_block_start', blockStart) + start + blockStop + END],
  ['a block with a high number', inMessage(event('content_block_start', { ...blockStart, index: 9 }))],
  ['a block with a number below zero', inMessage(event('content_block_start', { ...blockStart, index: -1 }))],
  ['a block after the message', inMessage() + event('content_block_start', blockStart)],
]

async function openAiHears(answer: string, type: string): Promise<unknown> {
  const fetched: typeof fetch = () => Promise.resolve(new Response(answer, { headers: { 'content-type': type } }))
  const client = new OpenAI({ apiKey: 'k', fetch: fetched, maxRetries: 0, logLevel: 'off' })
  const body = { model: 'm', messages: [{ role: 'user' as const, content: 'Go' }] }
  if (type !== EVENTS) return [await client.chat.completions.create(body)]
  const seen: unknown[] = []
  const stream = client.chat.completions.stream(body)
  stream.on('chunk', (each) => void seen.push(each))
  return stream.finalChatCompletion().then(
    (whole) => [whole, seen],
    () => [stream.currentChatCompletionSnapshot, seen],
  )
}

async function anthropicHears(answer: string, type: string): Promise<unknown> {
  const fetched: typeof fetch = () => Promise.resolve(new Response(answer, { headers: { 'content-type': type } }))
  const client = new Anthropic({ apiKey: 'k', fetch: fetched, maxRetries: 0, logLevel: 'off' })
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Go' }] }
  if (type !== EVENTS) return [await client.messages.create(body)]
  const stream = client.messages.stream(body)
  return stream.finalMessage().catch(() => [stream.currentMessage])
}

const hears = { chat: openAiHears, anthropic: anthropicHears }

describe.each<readonly [GuardedDialect, readonly Attack[]]>([
  ['chat', CHAT],
  ['anthropic', ANTHROPIC],
])('where every call of a %s is rejected, none arrives', (dialect, attacks) => {
  test.each(attacks.map(([name, answer, type]) => ({ name, answer, type })))(
    '$name',
    async ({ answer, type: said }) => {
      const heard = new Set<string>()
      const bytes = typeof answer === 'string' ? Buffer.from(answer) : answer
      for (const type of said === undefined ? [EVENTS, JSON_TYPE, 'text/plain'] : [said]) {
        for (const step of [bytes.length, Math.max(7, bytes.length >> 10)]) {
          const player = refuseAll(dialect, type, bytes, step)
          expect(player.guard.done).toBe(true)
          expect(player.out.replaceAll('\0', '')).not.toMatch(/wipe_|disk/)
          if (heard.has(player.out)) continue
          heard.add(player.out)
          for (const by of [EVENTS, JSON_TYPE]) {
            const got = await hears[dialect](player.out, by).catch(() => 'an error')
            expect(JSON.stringify(got)).not.toMatch(/wipe_|disk/)
          }
        }
      }
    },
  )
})
