import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { readingFetch, type Seen } from '../../../test/support/parsers/reading-fetch.ts'
import { createInferenceParser } from './index.ts'

/** What the common client sends must be read, and its reading of an answer must be ours. */
const parser = createInferenceParser(['model.test'])

/** A client whose requests we read, and whose answers we read while it gets them. */
function clientOf(answer: string, contentType: string): { readonly client: OpenAI; readonly seen: Seen } {
  const { fetch, seen } = readingFetch(parser, answer, contentType)
  return { client: new OpenAI({ apiKey: 'none', baseURL: 'http://model.test/v1', fetch }), seen }
}

const tools = [
  {
    type: 'function' as const,
    function: { name: 'pay', parameters: { type: 'object', properties: { amt: { type: 'number' } } } },
  },
]
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Pay the bill' }] },
]
const chunk = (choices: readonly unknown[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`
const piece = (delta: object, finish_reason: string | null = null) => ({ index: 0, delta, finish_reason })
const stream = [
  chunk([piece({ role: 'assistant', content: 'Paying.' })]),
  chunk([piece({ tool_calls: [{ index: 0, id: 'k1', type: 'function', function: { name: 'pay', arguments: '' } }] })]),
  chunk([piece({ tool_calls: [{ index: 0, function: { arguments: '{"amt"' } }] })]),
  chunk([piece({ tool_calls: [{ index: 0, function: { arguments: ':9}' } }] })]),
  chunk([piece({}, 'tool_calls')]),
  chunk([], { usage: { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 } }),
  'data: [DONE]\n\n',
].join('')

describe('the common client', () => {
  test('in a stream: the call that it puts together is the one that we do', async () => {
    const { client, seen } = clientOf(stream, 'text/event-stream')
    const final = await client.chat.completions
      .stream({ model: 'm', messages, tools, stream_options: { include_usage: true } })
      .finalChatCompletion()
    expect(seen.requests).toMatchObject([
      {
        actions: [{ kind: 'inference', model: 'm', firstUserText: 'Pay the bill', home: 'own' }],
        lessons: [{ kind: 'inference', tools: [{ function: { name: 'pay' } }] }],
      },
    ])
    const message = final.choices[0]?.message
    const calls = message?.tool_calls?.map((call) =>
      call.type === 'function'
        ? { id: call.id, tool: call.function.name, argumentsText: call.function.arguments }
        : call,
    )
    expect(calls).toHaveLength(1)
    expect(seen.answers).toMatchObject([
      { kind: 'completion', text: message?.content, calls, usage: { total_tokens: 10 } },
    ])
  })

  test('in one piece', async () => {
    const message = { role: 'assistant', content: 'Hi', refusal: null }
    const { client, seen } = clientOf(JSON.stringify({ choices: [{ index: 0, message }] }), 'application/json')
    const { choices } = await client.chat.completions.create({ model: 'm', messages })
    expect(seen.answers).toMatchObject([{ kind: 'completion', text: choices[0]?.message.content, calls: [] }])
  })

  test('its other requests are known for what they are', async () => {
    const { client, seen } = clientOf('{"data":[]}', 'application/json')
    await client.embeddings.create({ model: 'm', input: 'words' })
    await client.responses.create({ model: 'm', input: 'words' })
    await client.completions.create({ model: 'm', prompt: 'words' })
    await client.models.list()
    const actions = seen.requests.map((result) => (result.kind === 'read' ? result.actions[0] : undefined))
    expect(actions.map((action) => action?.kind)).toEqual(['inference', 'inference', 'inference', 'mechanics'])
    for (const action of actions.slice(0, 3)) expect(action).toMatchObject({ model: 'm', firstUserText: 'words' })
  })
})
