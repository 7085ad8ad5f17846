import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { AgentCard, Role, TaskState } from '@a2a-js/sdk'
import type { Message, TaskStatus } from '@a2a-js/sdk'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server'
import type { AgentExecutor } from '@a2a-js/sdk/server'
import type { Closable } from '../closing.ts'
import { headerOf } from '../scripted-agent.ts'
import { startUpstream } from '../upstream.ts'
import type { Arrival } from '../upstream.ts'

/** An agent by the official server, in JSON-RPC of 1.0 and of 0.3. */
export interface A2aAgent extends Closable {
  readonly port: number
  /** Where its card says that it is; known once the gateway runs. */
  standsAt(url: string): void
}

/** What it does for a user, and says in the end. */
export type Work = (words: string) => Promise<string>

export async function startA2aAgent(work: Work): Promise<A2aAgent> {
  let card = cardAt('http://nowhere.test/')
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executorOf(work))
  const modern = new JsonRpcTransportHandler(handler)
  const legacy = new LegacyJsonRpcTransportHandler(handler)
  const server = await startUpstream('h1', async (arrival, outgoing) => {
    if (arrival.method === 'GET') return send(outgoing, AgentCard.toJSON(card))
    const requestedVersion = headerOf(arrival, 'a2a-version')
    const asked = JSON.parse(arrival.body.toString('utf8')) as Record<string, unknown>
    const context = new ServerCallContext(requestedVersion === undefined ? {} : { requestedVersion })
    const answer: object = await (isModern(arrival) ? modern : legacy).handle(asked, context)
    if (!(Symbol.asyncIterator in answer)) return send(outgoing, answer)
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    for await (const event of answer as AsyncIterable<object>) outgoing.write(`data: ${JSON.stringify(event)}\n\n`)
    outgoing.end()
  })
  return { port: server.port, standsAt: (url) => (card = cardAt(url)), close: () => server.close() }
}

const isModern = (arrival: Arrival): boolean => headerOf(arrival, 'a2a-version')?.startsWith('1.') === true

function send(outgoing: ServerResponse, json: unknown): void {
  outgoing.writeHead(200, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify(json))
}

function cardAt(url: string): AgentCard {
  return AgentCard.fromJSON({
    name: 'agent',
    description: 'an agent',
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  })
}

function executorOf(work: Work): AgentExecutor {
  return {
    execute: async ({ taskId, contextId, userMessage }, bus) => {
      const status = (state: TaskState, words?: string): TaskStatus => ({
        state,
        timestamp: undefined,
        message: words === undefined ? undefined : { ...says(words, Role.ROLE_AGENT), taskId, contextId },
      })
      const started = status(TaskState.TASK_STATE_WORKING)
      bus.publish(
        AgentEvent.task({ id: taskId, contextId, artifacts: [], history: [], metadata: undefined, status: started }),
      )
      const words = await work(wordsOf(userMessage))
      const done = status(TaskState.TASK_STATE_COMPLETED, words)
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: done, metadata: undefined }))
      bus.finished()
    },
    cancelTask: () => Promise.resolve(),
  }
}

/** A message of one text. */
export function says(value: string, role: Role = Role.ROLE_USER): Message {
  return {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role,
    extensions: [],
    referenceTaskIds: [],
    metadata: undefined,
    parts: [{ content: { $case: 'text', value }, filename: '', mediaType: '', metadata: undefined }],
  }
}

const wordsOf = (message: Message): string =>
  message.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('\n')
