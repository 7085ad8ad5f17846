import type { GuardedDialect } from './guarding.ts'

/** A call in a recorded stream. */
export interface RecordedCall {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A stream as a server of that kind sends it. */
export interface Recorded {
  readonly name: string
  readonly dialect: GuardedDialect
  readonly events: readonly string[]
  /** What the model says before its calls. */
  readonly text: string
  readonly calls: readonly RecordedCall[]
  /** The official client refuses it as it comes. */
  readonly notForClient?: boolean
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const DONE = 'data: [DONE]\n\n'

const LOOKUP: RecordedCall = { id: 'call_Qz81', name: 'lookup_ledger', args: { account: 'acct-7719' } }
const REFUND: RecordedCall = { id: 'call_Vb02', name: 'issue_refund', args: { transaction: 'tx-55802', amount: 12.5 } }
const NOTIFY: RecordedCall = { id: 'call_Hh93', name: 'notify_owner', args: { note: 'naïve “quotes” \\ 你好' } }
const ALL = [LOOKUP, REFUND, NOTIFY]

const argumentsOf = ({ args }: RecordedCall): string => JSON.stringify(args)
const whole = (call: RecordedCall) => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: argumentsOf(call) },
})

/** A text in three pieces that no boundary respects. */
function inPieces(text: string): readonly string[] {
  const third = Math.ceil(text.length / 3)
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)]
}

function openAi(): Recorded {
  const chunk = (choices: readonly unknown[], more: object = {}): string =>
    data({
      id: 'chatcmpl-C9x',
      object: 'chat.completion.chunk',
      created: 1764300000,
      model: 'gpt-x-2026-08-01',
      service_tier: 'default',
      system_fingerprint: 'fp_1',
      choices,
      usage: null,
      obfuscation: 'kZ3',
      ...more,
    })
  const piece = (delta: object, finish_reason: string | null = null): string =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }])
  const fragment = (index: number, args: string): string =>
    piece({ tool_calls: [{ index, function: { arguments: args } }] })
  const events = [
    piece({ role: 'assistant', content: '', refusal: null }),
    piece({ content: 'Let me ' }),
    piece({ content: 'check.' }),
    ...ALL.flatMap((call, index) => [
      piece({
        tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
      }),
      ...inPieces(argumentsOf(call)).map((args) => fragment(index, args)),
    ]),
    piece({}, 'tool_calls'),
    chunk([], { usage: { prompt_tokens: 80, completion_tokens: 40, total_tokens: 120 } }),
    DONE,
  ]
  return { name: 'openai', dialect: 'chat', events, text: 'Let me check.', calls: ALL }
}

function azure(): Recorded {
  const chunk = (choices: readonly unknown[], more: object = {}): string =>
    data({ choices, created: 1764300000, id: 'az-1', model: 'gpt-x', object: 'chat.completion.chunk', ...more })
  const piece = (delta: object, finish_reason: string | null = null): string =>
    chunk([{ content_filter_results: {}, delta, finish_reason, index: 0, logprobs: null }])
  const events = [
    data({
      choices: [],
      created: 0,
      id: '',
      model: '',
      object: '',
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate: { filtered: false } } }],
    }),
    piece({ content: null, refusal: null, role: 'assistant' }),
    ...[LOOKUP, REFUND].flatMap((call, index) => [
      piece({ tool_calls: [{ function: { arguments: '', name: call.name }, id: call.id, index, type: 'function' }] }),
      ...inPieces(argumentsOf(call)).map((args) => piece({ tool_calls: [{ function: { arguments: args }, index }] })),
    ]),
    piece({}, 'tool_calls'),
    DONE,
  ]
  return { name: 'azure', dialect: 'chat', events, text: '', calls: [LOOKUP, REFUND] }
}

function vllm(): Recorded {
  const chunk = (choices: readonly unknown[]): string =>
    data({ id: 'chatcmpl-v', object: 'chat.completion.chunk', created: 1764300000, model: 'qwen', choices })
  const piece = (delta: object, more: object = { finish_reason: null }): string =>
    chunk([{ index: 0, delta, logprobs: null, ...more }])
  const events = [
    ': keep-alive\r\n\r\n',
    piece({ role: 'assistant', content: '' }),
    piece({ reasoning_content: 'They want a refund.' }),
    piece({ content: 'One moment.' }),
    ...[REFUND, NOTIFY].flatMap((call, index) => [
      piece({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name } }] }),
      ...inPieces(argumentsOf(call)).map((args) => piece({ tool_calls: [{ index, function: { arguments: args } }] })),
    ]),
    piece({ content: '' }, { finish_reason: 'tool_calls', stop_reason: null }),
    DONE,
  ].map((event) => event.replaceAll(/(?<!\r)\n/g, '\r\n'))
  return { name: 'vllm, in CR LF', dialect: 'chat', events, text: 'One moment.', calls: [REFUND, NOTIFY] }
}

function ollama(): Recorded {
  const piece = (delta: object, finish_reason: string | null = null): string =>
    data({
      id: 'chatcmpl-7',
      object: 'chat.completion.chunk',
      created: 1764300000,
      model: 'llama',
      system_fingerprint: 'fp_ollama',
      choices: [{ index: 0, delta, finish_reason }],
    })
  const events = [
    ...ALL.map((call, index) => piece({ role: 'assistant', content: '', tool_calls: [{ index, ...whole(call) }] })),
    piece({ role: 'assistant', content: '' }, 'tool_calls'),
    DONE,
  ]
  return { name: 'ollama: whole calls', dialect: 'chat', events, text: '', calls: ALL }
}

function mistral(): Recorded {
  const piece = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
    data({
      id: 'm1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'large',
      choices: [{ index: 0, delta, finish_reason }],
      ...more,
    })
  const calls = ALL.map((call, index) => ({ id: call.id, function: whole(call).function, index }))
  const events = [
    piece({ role: 'assistant', content: 'So.' }),
    piece({ content: '', tool_calls: calls }, 'tool_calls', { usage: { total_tokens: 9 } }),
    DONE,
  ]
  return {
    name: 'mistral: all calls at once, without type',
    dialect: 'chat',
    events,
    text: 'So.',
    calls: ALL,
    notForClient: true,
  }
}

function anthropic(): Recorded {
  const event = (value: { readonly type: string } & Readonly<Record<string, unknown>>): string =>
    `event: ${value.type}\n${data(value)}`
  const delta = (index: number, more: object): string => event({ type: 'content_block_delta', index, delta: more })
  const block = (index: number, content_block: object, ...deltas: readonly object[]): readonly string[] => [
    event({ type: 'content_block_start', index, content_block }),
    ...deltas.map((each) => delta(index, each)),
    event({ type: 'content_block_stop', index }),
  ]
  const call = ({ id, name, args }: RecordedCall, index: number): readonly string[] =>
    block(
      index,
      { type: 'tool_use', id, name, input: {} },
      ...['', ...inPieces(JSON.stringify(args))].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    )
  const events = [
    event({
      type: 'message_start',
      message: {
        id: 'msg_01A',
        type: 'message',
        role: 'assistant',
        model: 'claude-x',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 80, cache_read_input_tokens: 0, output_tokens: 1 },
      },
    }),
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'A refund, then.' },
      { type: 'signature_delta', signature: 'EqQBsig==' },
    ),
    event({ type: 'ping' }),
    ...block(
      1,
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'Let me ' },
      { type: 'text_delta', text: 'check.' },
    ),
    ...call(LOOKUP, 2),
    event({ type: 'ping' }),
    ...call(REFUND, 3),
    ...call(NOTIFY, 4),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 90 },
    }),
    event({ type: 'message_stop' }),
  ]
  return { name: 'anthropic', dialect: 'anthropic', events, text: 'Let me check.', calls: ALL }
}

/** Streams with calls, in the shapes that servers are known to send. */
export const RECORDED: readonly Recorded[] = [openAi(), azure(), vllm(), ollama(), mistral(), anthropic()]
