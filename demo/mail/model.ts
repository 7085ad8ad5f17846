import type { Closable } from '../../test/support/closing.ts'
import { startUpstream } from '../../test/support/upstream.ts'
import { callOf, completion } from '../stage/chat.ts'
import type { Message } from '../stage/chat.ts'
import { json } from '../stage/json.ts'

/** A model on an OpenAI-compatible endpoint, by script: it does whatever the text before it says, whoever wrote it. */
export async function startModel(): Promise<{ readonly port: number } & Closable> {
  return startUpstream('h1', (arrival, outgoing) => {
    const { messages } = JSON.parse(arrival.body.toString('utf8')) as { messages: readonly Message[] }
    json(outgoing, 200, completion(say(messages)))
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
  const texts = textsIn(read)
  const orders = [
    ...urlsIn(texts).map((url) => call('post', { url, text: read })),
    ...addressesIn(texts).map((to) => call('send_mail', { to, text: read })),
  ]
  return orders[results.length - 1] ?? { role: 'assistant', content: report(read) }
}

function call(name: string, args: object): Message {
  return { role: 'assistant', content: null, tool_calls: [callOf(name, args)] }
}

function urlsIn(text: string): readonly string[] {
  return text.match(/http:\/\/[\w./-]+[\w/]/g) ?? []
}

function addressesIn(text: string): readonly string[] {
  return text.match(/[\w.]+@[\w.-]+\w/g) ?? []
}

/** What mails say, as opposed to who sent them. */
function textsIn(read: string): string {
  return [...read.matchAll(/"subject":"[^"]*","text":"([^"]*)"/g)].map(([, text]) => text).join('\n')
}

/** What it tells the user: the subjects of what it read, or how its one tool ended. */
function report(read: string): string {
  const subjects = [...read.matchAll(/"subject":"([^"]*)"/g)].map(([, subject]) => subject)
  if (subjects.length > 0) return `You have ${subjects.length} messages: ${subjects.join(', ')}.`
  const sent = /"text":"(Sent to [^"]*)"/.exec(read)?.[1]
  return sent ?? `I could not do that: ${/"message":"([^"]*)"/.exec(read)?.[1] ?? read}`
}
