/** A call of an MCP tool. */
export function mcpCall(tool: string, args: unknown, id: string | number = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args } })
}

export const MCP_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A user's message to the agent. */
export function a2aSend(text: string, names: { readonly contextId?: string; readonly taskId?: string } = {}): string {
  const message = { role: 'user', kind: 'message', messageId: 'm-1', parts: [{ kind: 'text', text }], ...names }
  return JSON.stringify({ jsonrpc: '2.0', id: 'u-1', method: 'message/send', params: { message } })
}

/** The agent's answer to `a2aSend`. */
export function a2aAnswer(text: string, contextId = 'c-1'): string {
  const message = { role: 'agent', kind: 'message', messageId: 'm-2', contextId, parts: [{ kind: 'text', text }] }
  return JSON.stringify({ jsonrpc: '2.0', id: 'u-1', result: message })
}

/** A question to a model. */
export function chatRequest(text: string, extra: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }], ...extra })
}
