import { openClient } from '../../test/support/clients.ts'
import type { Closable } from '../../test/support/closing.ts'
import { a2aSend } from '../../test/support/messages.ts'

/** What the agent answered, as its user sees it. */
export interface Heard {
  readonly status: number
  readonly answer: string
  /** The agent waits for the user's word. */
  readonly asks: boolean
}

/** Writes to the agent, through Envoy. */
export interface User extends Closable {
  say(text: string, contextId?: string): Promise<Heard>
}

export function bringUser(inboundPort: number): User {
  const client = openClient('h1', inboundPort)
  return {
    say: async (text, contextId) => {
      const got = await client.send({
        host: 'agent',
        body: a2aSend(text, contextId === undefined ? {} : { contextId }),
        headers: { 'content-type': 'application/json' },
      })
      return { status: got.status, ...read(got.text) }
    },
    close: () => client.close(),
  }
}

interface A2aMessage {
  readonly parts: readonly { readonly text: string }[]
}

function read(text: string): Pick<Heard, 'answer' | 'asks'> {
  try {
    const { result } = JSON.parse(text) as { result: A2aMessage | { status: { state: string; message: A2aMessage } } }
    const message = 'status' in result ? result.status.message : result
    const asks = 'status' in result && result.status.state === 'input-required'
    return { answer: message.parts.map((part) => part.text).join(' '), asks }
  } catch {
    return { answer: text, asks: false }
  }
}
