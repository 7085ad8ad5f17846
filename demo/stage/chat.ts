/** Chat completions, as far as the demo's models and agents use them. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}

export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export function callOf(name: string, args: object): ToolCall {
  const id = `call-${Math.random().toString(36).slice(2)}`
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}

export function completion(message: Message): object {
  const finish_reason = message.tool_calls === undefined ? 'stop' : 'tool_calls'
  return { ...ABOUT, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] }
}

export const ABOUT = { id: 'c', created: 0, model: 'scripted' } as const
