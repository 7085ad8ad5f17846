import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { readingFetch, type Seen } from '../../../test/support/parsers/reading-fetch.ts'
import { createInferenceParser } from './index.ts'

/** What the vendor's client sends must be read, and its reading of an answer must be ours. */
const parser = createInferenceParser(['model.test'])

/** A client whose requests we read, and whose answers we read while it gets them. */
function clientOf(answer: string, contentType: string): { readonly client: Anthropic; readonly seen: Seen } {
  const { fetch, seen } = readingFetch(parser, answer, contentType)
  return { client: new Anthropic({ apiKey: 'none', baseURL: 'http://model.test', fetch }), seen }
}

const request = {
  model: 'm',
  max_tokens: 9,
  system: 'Be brief.',
  tools: [{ name: 'pay', input_schema: { type: 'object' as const, properties: { amt: { type: 'number' } } } }],
  messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Pay the bill' }] }],
}
const usage = { input_tokens: 3, output_tokens: 1 }
const message = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage }
const call = { type: 'tool_use', id: 'u1', name: 'pay', input: {} }
const stream = [
  { type: 'message_start', message },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Paying.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: call },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"amt"' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ':9}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { ...call, id: 'u2' } },
  { type: 'content_block_stop', index: 2 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')

function callsOf(final: Anthropic.Message) {
  return final.content.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, tool: block.name, argumentsText: JSON.stringify(block.input) }] : [],
  )
}

const textOf = (final: Anthropic.Message) =>
  final.content.map((block) => (block.type === 'text' ? block.text : '')).join('')

describe("the vendor's client", () => {
  test('in a stream: the calls that it puts together are those that we do', async () => {
    const { client, seen } = clientOf(stream, 'text/event-stream')
    const final = await client.messages.stream(request).finalMessage()
    expect(seen.requests).toMatchObject([
      {
        actions: [{ kind: 'inference', model: 'm', firstUserText: 'Pay the bill', home: 'own' }],
        lessons: [{ messages: [{ role: 'system' }, { role: 'user' }], tools: [{ function: { name: 'pay' } }] }],
        details: { dialect: 'anthropic' },
        proposes: 'readable',
      },
    ])
    expect(callsOf(final)).toHaveLength(2)
    expect(seen.answers).toMatchObject([
      { kind: 'completion', text: textOf(final), calls: callsOf(final), usage: { input_tokens: 3, output_tokens: 9 } },
    ])
  })

  test('in one piece', async () => {
    const content = [
      { type: 'text', text: 'Hi' },
      { ...call, input: { amt: 9 } },
    ]
    const { client, seen } = clientOf(JSON.stringify({ ...message, content }), 'application/json')
    const final = await client.messages.create(request)
    expect(callsOf(final)).toHaveLength(1)
    expect(seen.answers).toMatchObject([{ kind: 'completion', text: textOf(final), calls: callsOf(final) }])
  })

  test('its other requests are known for what they are', async () => {
    const { client, seen } = clientOf('{"data":[],"input_tokens":1}', 'application/json')
    await client.messages.countTokens({ model: 'm', messages: request.messages })
    await client.beta.messages.create(request)
    await client.messages.batches.create({ requests: [{ custom_id: 'a', params: request }] })
    await client.models.list()
    const actions = seen.requests.map((result) => (result.kind === 'read' ? result.actions[0].kind : result.kind))
    expect(actions).toEqual(['mechanics', 'inference', 'inference', 'mechanics'])
  })
})
