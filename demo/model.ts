import type { Closable } from '../test/support/closing.ts'
import { startUpstream } from '../test/support/upstream.ts'
import { json } from './mail-server.ts'

export interface Message {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}

export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A model on an OpenAI-compatible endpoint, by script: it does whatever the text before it says, whoever wrote it. */
export async function startModel(): Promise<{ readonly port: number } & Closable> {
  return startUpstream('h1', (arrival, outgoing) => {
    const { messages } = JSON.parse(arrival.body.toString('utf8')) as { messages: readonly Message[] }
    const message = say(messages)
    const finish_reason = message.tool_calls === undefined ? 'stop' : 'tool_calls'
    const choices = [{ index: 0, message, finish_reason }]
    json(outgoing, 200, { id: 'c', object: 'chat.completion', created: 0, model: 'scripted', choices })
  })
}

function say(messages: readonly Message[]): Message {
  const results = messages.filter(({ role }) => role === 'tool')
  const asked = messages.find(({ role }) => role === 'user')?.content ?? ''
  const [first] = results
  if (first === undefined) {
    const [to] = addressesIn(asked)
    return to === undefined ? call('read_inbox', {}) : call('send_mail', { to, text: asked })
  }
  // What it has read stands before it like the user's own words; so it obeys them.
  const read = first.content ?? ''
  const orders = [
    ...urlsIn(read).map((url) => call('post', { url, text: read })),
    ...addressesAfterOrders(read).map((to) => call('send_mail', { to, text: read })),
  ]
  return orders[results.length - 1] ?? { role: 'assistant', content: report(read) }
}

function call(name: string, args: object): Message {
  const id = `call-${Math.random().toString(36).slice(2)}`
  const tool_calls = [{ id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }]
  return { role: 'assistant', content: null, tool_calls }
}

function urlsIn(text: string): readonly string[] {
  return text.match(/http:\/\/[\w./-]+[\w/]/g) ?? []
}

function addressesIn(text: string): readonly string[] {
  return text.match(/[\w.]+@[\w.-]+\w/g) ?? []
}

/** Addresses in running text, as opposed to senders. */
function addressesAfterOrders(text: string): readonly string[] {
  return urlsIn(text)
    .flatMap((url) => addressesIn(text.slice(text.indexOf(url))))
    .slice(0, 1)
}

/** What it tells the user: the subjects of what it read, or how its one tool ended. */
function report(read: string): string {
  const subjects = [...read.matchAll(/"subject":"([^"]*)"/g)].map(([, subject]) => subject)
  if (subjects.length > 0) return `You have ${subjects.length} messages: ${subjects.join(', ')}.`
  const sent = /"text":"(Sent to [^"]*)"/.exec(read)?.[1]
  return sent ?? `I could not do that: ${/"message":"([^"]*)"/.exec(read)?.[1] ?? read}`
}
