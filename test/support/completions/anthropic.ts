import type { Call, DialectServer, Turn } from './dialects.ts'

const HEAD = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' }

function stopOf({ calls = [] }: Turn): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function event(data: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

function textBlock(text: string, index: number): readonly string[] {
  return [
    event({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } }),
    ...text
      .split(/(?<= )/)
      .map((part) => event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: part } })),
    event({ type: 'content_block_stop', index }),
  ]
}

function callBlock({ id, name, args }: Call, index: number): readonly string[] {
  const text = JSON.stringify(args)
  const half = Math.ceil(text.length / 2)
  return [
    event({ type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } }),
    ...[text.slice(0, half), text.slice(half)].map((part) =>
      event({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: part } }),
    ),
    event({ type: 'content_block_stop', index }),
  ]
}

/** Anthropic's messages. */
export const anthropic: DialectServer = {
  name: 'messages',
  path: '/v1/messages',
  whole: (turn) =>
    JSON.stringify({
      ...HEAD,
      content: [
        ...(turn.text === undefined ? [] : [{ type: 'text', text: turn.text }]),
        ...(turn.calls ?? []).map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
      ],
      stop_reason: stopOf(turn),
      stop_sequence: null,
      usage: { input_tokens: 7, output_tokens: 9 },
      x_vendor: { seed: 42 },
    }),
  events: (turn) => {
    const texts = turn.text === undefined ? [] : [turn.text]
    const usage = { input_tokens: 7, output_tokens: 1 }
    return [
      event({
        type: 'message_start',
        message: { ...HEAD, content: [], stop_reason: null, stop_sequence: null, usage },
      }),
      event({ type: 'ping' }),
      ...texts.flatMap(textBlock),
      ...(turn.calls ?? []).flatMap((call, position) => callBlock(call, position + texts.length)),
      event({
        type: 'message_delta',
        delta: { stop_reason: stopOf(turn), stop_sequence: null },
        usage: { output_tokens: 9 },
      }),
      event({ type: 'message_stop' }),
    ]
  },
}
