import { describe, expect, test } from 'vitest'
import { EVENTS, JSON_TYPE, play, type GuardedDialect } from '../../../../test/support/parsers/guarding.ts'

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const DONE = 'data: [DONE]\n\n'
const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunk = (delta: unknown, more: object = {}, top: object = {}): string =>
  data({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }], ...top })
const stop = chunk({}, { finish_reason: 'stop' })
const event = (type: string, rest: object = {}): string => `event: ${type}\n${data({ type, ...rest })}`
const block = (index: number, content_block: object, ...deltas: readonly object[]): readonly string[] => [
  event('content_block_start', { index, content_block }),
  ...deltas.map((delta) => event('content_block_delta', { index, delta })),
  event('content_block_stop', { index }),
]
const message = {
  ...{ id: 'm1', type: 'message', role: 'assistant', model: 'x', stop_reason: null, stop_sequence: null },
  ...{ content: [], container: null, usage: { input_tokens: 1, cache_creation: { ephemeral_1h_input_tokens: 0 } } },
}
const start = event('message_start', { message })
const end = [
  event('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null, container: { id: 'x' } },
    usage: { output_tokens: 2 },
    context_management: { applied_edits: [] },
  }),
  event('message_stop', { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 1 } }),
]

/** Streams without calls, as vendors are known to send them. */
const STREAMS: readonly (readonly [GuardedDialect, string, readonly string[]])[] = [
  ['chat', 'reasoning of its own', [chunk({ role: 'assistant', content: null, reasoning_content: 'Hm' }), stop, DONE]],
  [
    'chat',
    'a relay: comments, reasoning in parts, and an error in the middle',
    [
      ': OPENROUTER PROCESSING\n\n',
      chunk({
        role: 'assistant',
        content: '',
        reasoning: 'Hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }],
      }),
      data({
        ...head,
        provider: 'p',
        error: { code: 502, message: 'x' },
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
      }),
    ],
  ],
  ['chat', 'what a gateway’s hooks found', [data({ hook_results: { before_request_hooks: [{ id: 'x' }] } }), stop]],
  [
    'chat',
    'filters: before, beside and after the words',
    [
      data({ choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [{ prompt_index: 0 }] }),
      chunk({ content: 'a' }, { content_filter_results: { hate: { filtered: false } } }),
      data({
        id: '',
        object: '',
        choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 1 } }],
      }),
      data({ choices: [], usage: { total_tokens: 1 } }),
    ],
  ],
  [
    'chat',
    'sources, and the whole message so far beside each piece',
    [
      chunk(
        { content: 'a' },
        { message: { role: 'assistant', content: 'a' } },
        { citations: ['u'], search_results: [{}] },
      ),
      stop,
    ],
  ],
  [
    'chat',
    'figures of its own',
    [chunk({ content: 'a' }, {}, { x_groq: { id: 'x' }, time_info: {}, nvext: { a: [1] } }), stop],
  ],
  [
    'chat',
    'usage without choices',
    [chunk({ content: 'a' }), data({ usage: { total_tokens: 1 }, timings: { ms: 1 } }), DONE],
  ],
  ['chat', 'a refusal', [chunk({ role: 'assistant', content: null, refusal: 'No' }), stop]],
  [
    'chat',
    'sound',
    [chunk({ role: 'assistant', audio: { id: 'a', data: 'AA==', transcript: 'x', expires_at: 1 } }), stop],
  ],
  ['chat', 'no delta', [chunk(null), chunk(undefined), stop]],
  [
    'chat',
    'empty calls',
    [chunk({ content: 'a', tool_calls: [], function_call: null }), chunk({ content: 'b', tool_calls: null }), stop],
  ],
  [
    'chat',
    'content in parts',
    [
      chunk({
        content: [
          { type: 'reasoning', summary: [] },
          { type: 'text', text: 'a' },
        ],
      }),
      stop,
    ],
  ],
  [
    'chat',
    'probabilities',
    [chunk({ content: 'a' }, { logprobs: { content: [{ token: 'a', logprob: -1, top_logprobs: [] }] } })],
  ],
  [
    'chat',
    'errors',
    [
      data({ error: { message: 'x', type: 'y' } }),
      data({ object: 'error', message: 'x', code: 400 }),
      data({ error: 'x' }),
    ],
  ],
  ['chat', 'text that splits lines for some', [chunk({ content: 'a\u2028data: {}\u0085\n\ndata: []' }), stop]],
  [
    'chat',
    'names, ids and times of waiting',
    [`event: message\nid: 1\nretry: 5\n${chunk({ content: 'a' })}`, 'event: ping\ndata:\n\n'],
  ],
  [
    'chat',
    'several choices',
    [
      data({
        ...head,
        choices: [
          { index: 1, delta: { content: 'a' } },
          { index: 0, delta: {} },
        ],
      }),
      stop,
    ],
  ],
  [
    'anthropic',
    'thinking, sources and tools that the provider runs',
    [
      start,
      event('ping'),
      ...block(0, { type: 'thinking', thinking: '', signature: '' }, { type: 'thinking_delta', thinking: 'a' }),
      ...block(1, { type: 'redacted_thinking', data: 'x' }),
      ...block(2, { type: 'text', text: '', citations: [] }, { type: 'citations_delta', citation: { type: 'x' } }),
      ...block(
        3,
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'input_json_delta', partial_json: '{}' },
      ),
      ...block(4, { type: 'web_search_tool_result', tool_use_id: 's', content: [{ type: 'web_search_result' }] }),
      ...block(5, { type: 'mcp_tool_use', id: 's', name: 'x', server_name: 'y', input: {} }),
      ...block(6, { type: 'mcp_tool_result', tool_use_id: 's', content: [{ type: 'text', text: 'a' }] }),
      ...end,
    ],
  ],
  [
    'anthropic',
    'no names at all',
    [start, ...block(0, { type: 'text', text: 'a' }), ...end].map((each) => each.replace(/^event: .*\n/, '')),
  ],
  [
    'anthropic',
    'errors',
    [event('error', { error: { type: 'overloaded_error' }, request_id: 'r' }), `event: error\n${data({ error: {} })}`],
  ],
]

describe.each(STREAMS)('%s: a stream with %s', (dialect, _, events) => {
  test('passes at once, byte for byte', () => {
    const player = play(dialect, EVENTS)
    for (const each of events) expect(player.feed(each)).toBe(each)
    player.end()
    expect(player.unreadable).toEqual([])
    expect(player.guard.changed).toBe(false)
    expect(player.guard.done).toBe(true)
  })
})

/** Answers in one piece without calls. */
const WHOLE: readonly (readonly [GuardedDialect, object])[] = [
  ['chat', { choices: [{ message: { content: 'a', reasoning_content: 'b', annotations: [{}], audio: { id: 'x' } } }] }],
  ['chat', { choices: [{ message: { content: 'a' } }], citations: ['u'], prompt_filter_results: [{}], usage: {} }],
  ['chat', { error: { message: 'x', metadata: { provider: 'y' } }, user_id: 'u' }],
  ['anthropic', { ...message, content: [{ type: 'text', text: 'a' }], context_management: { applied_edits: [] } }],
  ['anthropic', { content: [{ type: 'text', text: 'a' }], role: 'assistant' }],
  ['anthropic', { type: 'error', error: { type: 'x' }, request_id: null }],
]

test.each(WHOLE)('%s: %j passes', (dialect, answer) => {
  const text = JSON.stringify(answer, undefined, 1)
  const player = play(dialect, JSON_TYPE)
  player.feed(text)
  player.end()
  expect(player.unreadable).toEqual([])
  expect(player.out).toBe(text)
})
