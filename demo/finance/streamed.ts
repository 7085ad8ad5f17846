import { ABOUT } from '../stage/chat.ts'
import type { Message, ToolCall } from '../stage/chat.ts'

interface Delta {
  readonly role?: string
  readonly content?: string
  readonly tool_calls?: readonly { readonly index: number; readonly id?: string; readonly function?: Partial<Fn> }[]
}

interface Fn {
  readonly name: string
  readonly arguments: string
}

interface Chunk {
  readonly choices: readonly { readonly delta: Delta }[]
}

/** One event of a streamed chat completion. */
export function event(delta: Delta, finish_reason: string | null = null): string {
  const chunk = { ...ABOUT, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

export const LAST_EVENT = 'data: [DONE]\n\n'

/** A call as models stream it: the name first, then its arguments bit by bit. */
export function callEvents(calls: readonly ToolCall[]): readonly string[] {
  return calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => [
    event({ tool_calls: [{ index, id, ...{ type }, function: { name, arguments: '' } }] }),
    ...(text.match(/.{1,7}/gs) ?? []).map((bit) => event({ tool_calls: [{ index, function: { arguments: bit } }] })),
  ])
}

/** The whole message, as a client puts it together. */
export function assembled(events: string): Message {
  let content = ''
  const calls: ToolCall[] = []
  for (const { content: text = '', tool_calls = [] } of deltasIn(events)) {
    content += text
    for (const { index, id = '', function: bit = {} } of tool_calls) {
      const before = calls[index] ?? { id, type: 'function', function: { name: '', arguments: '' } }
      const { name, arguments: text } = before.function
      const whole = { name: name + (bit.name ?? ''), arguments: text + (bit.arguments ?? '') }
      calls[index] = { ...before, function: whole }
    }
  }
  return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}

/** Of the events that are complete. */
function deltasIn(events: string): readonly Delta[] {
  return [...events.matchAll(/^data: (\{.*\})$/gm)].flatMap(([, json = '']) =>
    (JSON.parse(json) as Chunk).choices.map(({ delta }) => delta),
  )
}
