import type { Given } from '../parsers/exchange.ts'

/** A request, and an answer to it that teaches something. */
export interface Heard {
  readonly request: Given
  readonly contentType: string
  readonly answer: string
}

/** What the contract cannot know of a plugin by itself. One entry for each plugin that needs one. */
export interface Sample {
  /** The least that loads. */
  readonly config?: Readonly<Record<string, unknown>>
  /** A parser that reads answers: one for each form of them. */
  readonly heard?: readonly Heard[]
  /** A gate that asks somebody else: a configuration that sends it there, with this time-out. */
  readonly asking?: (endpoint: string, timeoutMs: number) => Readonly<Record<string, unknown>>
}

const events = (...values: readonly unknown[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')

const namedEvents = (...values: readonly (Readonly<Record<string, unknown>> & { readonly type: string })[]): string =>
  values.map((value) => `event: ${value.type}\n${events(value)}`).join('')

export const SAMPLES: Readonly<Record<string, Sample>> = {
  'a2a-parser': {
    heard: [
      {
        request: {
          direction: 'inbound',
          body: {
            jsonrpc: '2.0',
            id: 1,
            method: 'message/stream',
            params: { message: { role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'Zahl es' }] } },
          },
        },
        contentType: 'text/event-stream',
        answer: events(
          { jsonrpc: '2.0', id: 1, result: { kind: 'task', id: 't', contextId: 'c', status: { state: 'working' } } },
          {
            jsonrpc: '2.0',
            id: 1,
            result: {
              kind: 'message',
              role: 'agent',
              messageId: 'a',
              contextId: 'c',
              parts: [{ kind: 'text', text: 'Für wen … 你?' }],
            },
          },
        ),
      },
    ],
  },
  'inference-parser': {
    heard: [
      {
        request: { path: '/v1/chat/completions', body: { model: 'm', messages: [{ role: 'user', content: 'Hallo' }] } },
        contentType: 'text/event-stream',
        answer: `${events(
          { choices: [{ index: 0, delta: { role: 'assistant', content: 'Grüße, ' } }] },
          { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'k', function: { name: 'pay' } }] } }] },
          { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"to":"你"}' } }] } }] },
        )}data: [DONE]\n\n`,
      },
      {
        request: {
          path: '/v1/messages',
          body: { model: 'm', max_tokens: 9, system: 'Sei kurz.', messages: [{ role: 'user', content: 'Hallo' }] },
        },
        contentType: 'text/event-stream',
        answer: namedEvents(
          { type: 'message_start', message: { role: 'assistant', content: [], usage: { input_tokens: 3 } } },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße, ' } },
          {
            type: 'content_block_start',
            index: 1,
            content_block: { type: 'tool_use', id: 'u', name: 'pay', input: {} },
          },
          { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"to":"你"}' } },
          { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
          { type: 'message_stop' },
        ),
      },
      {
        request: { path: '/v1/completions', body: { model: 'm', prompt: 'Hallo' } },
        contentType: 'text/event-stream',
        answer: `${events({ choices: [{ index: 0, text: 'Grüße, ' }] }, { choices: [{ index: 0, text: '你' }] })}data: [DONE]\n\n`,
      },
    ],
  },
  'mcp-parser': {
    heard: [
      {
        request: {
          path: '/mcp',
          body: { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'read_mail', arguments: { id: 'é' } } },
        },
        contentType: 'text/event-stream',
        answer: events(
          { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 0.5 } },
          { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: 'Liebe Grüße … 你好' }] } },
        ),
      },
    ],
  },
  ibac: {
    config: { judge: 'embedded' },
    asking: (judge_endpoint, timeout_ms) => ({ judge_endpoint, judge_model: 'm', timeout_ms }),
  },
  sparc: {
    config: { reflector: 'embedded' },
    // With the policy under which it refuses where nobody answers.
    asking: (reflector_endpoint, timeout_ms) => ({ reflector_endpoint, timeout_ms, fail_policy: 'closed' }),
  },
}
