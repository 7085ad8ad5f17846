import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { Call } from '../completions/dialects.ts'

/** What an agent keeps of a conversation, whatever its client. */
export type Line =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'assistant'; readonly text: string; readonly calls: readonly Call[] }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string }

/** What the official client made of an answer, by its own accumulation. */
export interface Heard {
  readonly text: string
  readonly calls: readonly Call[]
  readonly stop: string | null
  /** Whether there is a key for calls at all: agents take an empty list for calls. */
  readonly hasCallsKey: boolean
}

export interface ModelClient {
  readonly name: string
  readonly stops: { readonly withCalls: string; readonly without: string }
  ask(lines: readonly Line[], stream: boolean): Promise<Heard>
}

const SYSTEM = 'You are a careful clerk.'

/** The tools that the model is offered. */
const TOOLS = [
  { name: 'refund', parameter: 'transaction_id' },
  { name: 'balance', parameter: 'account' },
]

const schemaOf = (parameter: string) => ({
  type: 'object' as const,
  properties: { [parameter]: { type: 'string' } },
  required: [parameter],
})

export function openAiClient(base: string, through: typeof fetch, tools = TOOLS): ModelClient {
  const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: 'k', fetch: through })
  const messages = (lines: readonly Line[]): OpenAI.ChatCompletionMessageParam[] => [
    { role: 'system', content: SYSTEM },
    ...lines.map((line): OpenAI.ChatCompletionMessageParam => {
      if (line.kind === 'user') return { role: 'user', content: line.text }
      if (line.kind === 'result') return { role: 'tool', tool_call_id: line.callId, content: line.text }
      if (line.calls.length === 0) return { role: 'assistant', content: line.text }
      const calls = line.calls.map(({ id, name, args }) => ({
        ...{ id, type: 'function' as const },
        function: { name, arguments: JSON.stringify(args) },
      }))
      return { role: 'assistant', content: line.text, tool_calls: calls }
    }),
  ]
  return {
    name: 'openai',
    stops: { withCalls: 'tool_calls', without: 'stop' },
    async ask(lines, stream) {
      const body = {
        model: 'm',
        messages: messages(lines),
        ...(tools.length === 0
          ? {}
          : {
              tools: tools.map(({ name, parameter }) => ({
                ...{ type: 'function' as const },
                function: { name, parameters: schemaOf(parameter) },
              })),
            }),
      }
      const completion = stream
        ? await client.chat.completions.stream(body).finalChatCompletion()
        : await client.chat.completions.create(body)
      const choice = completion.choices[0]
      if (choice === undefined) throw new Error('The completion has no choice.')
      const calls = (choice.message.tool_calls ?? []).flatMap((call) =>
        call.type === 'function'
          ? [{ id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) as Call['args'] }]
          : [],
      )
      return {
        text: choice.message.content ?? '',
        calls,
        stop: choice.finish_reason,
        hasCallsKey: (choice.message.tool_calls ?? undefined) !== undefined,
      }
    },
  }
}

export function anthropicClient(base: string, through: typeof fetch, tools = TOOLS): ModelClient {
  const client = new Anthropic({ baseURL: base, apiKey: 'k', fetch: through })
  const messages = (lines: readonly Line[]): Anthropic.MessageParam[] =>
    lines.map((line): Anthropic.MessageParam => {
      if (line.kind === 'user') return { role: 'user', content: line.text }
      if (line.kind === 'result') {
        return { role: 'user', content: [{ type: 'tool_result', tool_use_id: line.callId, content: line.text }] }
      }
      return {
        role: 'assistant',
        content: [
          ...(line.text === '' ? [] : [{ type: 'text' as const, text: line.text }]),
          ...line.calls.map(({ id, name, args }) => ({ type: 'tool_use' as const, id, name, input: args })),
        ],
      }
    })
  return {
    name: '@anthropic-ai/sdk',
    stops: { withCalls: 'tool_use', without: 'end_turn' },
    async ask(lines, stream) {
      const body = {
        ...{ model: 'm', max_tokens: 100, system: SYSTEM, messages: messages(lines) },
        tools: tools.map(({ name, parameter }) => ({ name, input_schema: schemaOf(parameter) })),
      }
      const message = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body)
      const calls = message.content.flatMap((block) =>
        block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input as Call['args'] }] : [],
      )
      return {
        text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls,
        stop: message.stop_reason,
        hasCallsKey: calls.length > 0,
      }
    },
  }
}
