import type { Call, DialectServer, Turn } from './dialects.ts'

const HEAD = { id: 'chatcmpl-1', created: 1, model: 'm', system_fingerprint: 'fp_1' }
const USAGE = { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 }

function toolCall({ id, name, args }: Call) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}

function finishOf({ calls = [] }: Turn): string {
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices })}\n\n`
}

/** A call as models send it: its name first, then its arguments in pieces. */
function callChunks({ id, name, args }: Call, index: number): readonly string[] {
  const text = JSON.stringify(args)
  const half = Math.ceil(text.length / 2)
  return [
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...[text.slice(0, half), text.slice(half)].map((part) =>
      chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
    ),
  ]
}

/** OpenAI's chat completions. */
export const chat: DialectServer = {
  name: 'chat completions',
  path: '/v1/chat/completions',
  whole: (turn) => {
    const calls = (turn.calls ?? []).map(toolCall)
    const message = {
      ...{ role: 'assistant', content: turn.text ?? null, refusal: null },
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(turn) }]
    return JSON.stringify({ ...HEAD, object: 'chat.completion', choices, usage: USAGE, x_vendor: { seed: 42 } })
  },
  events: (turn) => [
    chunk({ role: 'assistant', content: turn.text === undefined ? null : '' }),
    ...(turn.text === undefined ? [] : turn.text.split(/(?<= )/).map((content) => chunk({ content }))),
    ...(turn.calls ?? []).flatMap(callChunks),
    chunk({}, finishOf(turn)),
    `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices: [], usage: USAGE })}\n\n`,
    'data: [DONE]\n\n',
  ],
}
