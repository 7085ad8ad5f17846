import type { ServerResponse } from 'node:http'
import type { Closable } from '../../test/support/closing.ts'
import { startUpstream } from '../../test/support/upstream.ts'
import { callOf, completion } from '../stage/chat.ts'
import type { Message, ToolCall } from '../stage/chat.ts'
import { json } from '../stage/json.ts'
import { DONE } from './bank-server.ts'
import { callEvents, event, LAST_EVENT } from './streamed.ts'
import { ID_PATTERN } from './story.ts'
import type { Story } from './story.ts'

/**
 * A model by script, which would rather make an id up than ask for it. It understands what a tool's answer says, as
 * models do: where that is no success, it asks its user; when it is stubborn, only after it has tried once more.
 */
export interface Model extends Closable {
  readonly port: number
  /** Of each streamed call: whether the agent had the text before it when the call was sent. */
  readonly textFirst: readonly boolean[]
  isStubborn(wanted: boolean): void
  /** The agent has received the text of a streamed answer. */
  textArrived(): void
}

interface Asked {
  readonly messages: readonly Message[]
  readonly tools: readonly { readonly function: { readonly name: string } }[]
  readonly stream?: boolean
}

/** How long a call waits for the agent to have the text before it. Only a gate that holds everything makes it wait. */
const PATIENCE_MS = 10_000

export async function startModel(story: Story): Promise<Model> {
  const textFirst: boolean[] = []
  let arrived: () => void = () => undefined
  let stubborn = false
  const server = await startUpstream('h1', async (arrival, outgoing) => {
    const asked = JSON.parse(arrival.body.toString('utf8')) as Asked
    const message = say(asked, story, stubborn ? 2 : 1)
    if (asked.stream !== true) {
      json(outgoing, 200, completion(message))
      return
    }
    const hasArrived = new Promise<true>((done) => {
      arrived = () => {
        done(true)
      }
    })
    await stream(message, outgoing, async () => {
      textFirst.push(await Promise.race([hasArrived, laterOn(false)]))
    })
  })
  return {
    port: server.port,
    textFirst,
    isStubborn: (wanted) => {
      stubborn = wanted
    },
    textArrived: () => {
      arrived()
    },
    close: () => server.close(),
  }
}

/** Its text; then, when `beforeCalls` is over, its calls. */
async function stream(message: Message, outgoing: ServerResponse, beforeCalls: () => Promise<void>): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  outgoing.write(event({ role: 'assistant', content: message.content ?? '' }))
  if (message.tool_calls !== undefined) {
    await beforeCalls()
    for (const each of callEvents(message.tool_calls)) outgoing.write(each)
  }
  outgoing.write(event({}, message.tool_calls === undefined ? 'stop' : 'tool_calls'))
  outgoing.end(LAST_EVENT)
}

function laterOn<T>(value: T): Promise<T> {
  return new Promise((done) => {
    setTimeout(() => {
      done(value)
    }, PATIENCE_MS).unref()
  })
}

/** `tries`: how often it makes a call that does not succeed. */
function say({ messages, tools }: Asked, story: Story, tries: number): Message {
  const results = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1).filter(isResult)
  const done = results.find(({ content }) => content?.startsWith(DONE) === true)
  if (done !== undefined) return { role: 'assistant', content: done.content }
  if (results.length >= tries) return { role: 'assistant', content: story.question }
  return { role: 'assistant', content: story.preamble, tool_calls: [refund(messages, tools, story)] }
}

function isResult({ role }: Message): boolean {
  return role === 'tool'
}

/** The id that its user gave; without one, any that looks right. */
function refund(messages: readonly Message[], tools: Asked['tools'], { invented }: Story): ToolCall {
  const said = messages.flatMap(({ role, content }) => (role === 'user' ? [content ?? ''] : [])).join('\n')
  const transaction_id = ID_PATTERN.exec(said)?.[0] ?? invented
  const amount = Number(/[\d.]+(?= euros)/.exec(said)?.[0])
  return callOf(tools[0]?.function.name ?? '', { transaction_id, amount })
}
