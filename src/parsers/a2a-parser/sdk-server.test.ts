import { TaskState, type AgentCard } from '@a2a-js/sdk'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  type AgentExecutor,
} from '@a2a-js/sdk/server'
import { describe, expect, test } from 'vitest'
import { answered, exchangeOf } from '../../../test/support/parsers/exchange.ts'
import type { Lesson } from '../../core/session.ts'
import { createA2aParser } from './index.ts'

/** What the protocol's own server answers must be heard: it makes up the names of the conversation. */
const parser = createA2aParser({ hosts: [], paths: [], denial: 'http_status' })

const part = (value: string) => ({
  content: { $case: 'text' as const, value },
  filename: '',
  mediaType: '',
  metadata: undefined,
})

/** Asks back, whatever it hears. */
const asking: AgentExecutor = {
  execute: async ({ taskId, contextId }, bus) => {
    const status = (state: TaskState, words?: string) => ({
      state,
      timestamp: undefined,
      message:
        words === undefined
          ? undefined
          : {
              ...{
                messageId: 'm',
                contextId,
                taskId,
                role: 2,
                extensions: [],
                referenceTaskIds: [],
                metadata: undefined,
              },
              parts: [part(words)],
            },
    })
    const task = { id: taskId, contextId, artifacts: [], history: [], metadata: undefined }
    bus.publish(AgentEvent.task({ ...task, status: status(TaskState.TASK_STATE_SUBMITTED) }))
    const asks = status(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which date')
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: asks, metadata: undefined }))
    bus.finished()
  },
  cancelTask: () => Promise.resolve(),
}

const capabilities = { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false }
const card = {
  name: 'a',
  capabilities,
  supportedInterfaces: [],
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
}

interface Server {
  handle(body: Record<string, unknown>, context: ServerCallContext): Promise<object>
}

/** What we learn when the server answers the request, as JSON or as events. */
async function taught(make: (handler: DefaultRequestHandler) => Server, request: Record<string, unknown>) {
  const server = make(new DefaultRequestHandler(card as unknown as AgentCard, new InMemoryTaskStore(), asking))
  const answer = await server.handle(request, new ServerCallContext())
  const streams = Symbol.asyncIterator in answer
  const pieces: string[] = []
  if (streams)
    for await (const event of answer as AsyncIterable<object>) pieces.push(`data: ${JSON.stringify(event)}\n\n`)
  else pieces.push(JSON.stringify(answer))

  const { x, body } = exchangeOf({ direction: 'inbound', body: request })
  const result = parser.read(x, body)
  const shown = answered(x, streams ? 'text/event-stream' : 'application/json')
  const reader = parser.readAnswer(shown, result.kind === 'read' ? result : undefined)
  const passing = pieces.flatMap((piece) => reader?.feed(new TextEncoder().encode(piece)) ?? [])
  const lessons: readonly Lesson[] = [...passing, ...(reader?.end('complete').lessons ?? [])]
  return { lessons, streams }
}

const rpc = (method: string, message: object) => ({ jsonrpc: '2.0', id: 1, method, params: { message } })
const modern = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'book it' }] }
const legacy = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'book it' }] }

describe('the official server', () => {
  test.each<[string, (handler: DefaultRequestHandler) => Server, Record<string, unknown>, boolean]>([
    ['1.0', (handler) => new JsonRpcTransportHandler(handler), rpc('SendMessage', modern), false],
    ['1.0, streaming', (handler) => new JsonRpcTransportHandler(handler), rpc('SendStreamingMessage', modern), true],
    ['0.3', (handler) => new LegacyJsonRpcTransportHandler(handler), rpc('message/send', legacy), false],
    ['0.3, streaming', (handler) => new LegacyJsonRpcTransportHandler(handler), rpc('message/stream', legacy), true],
  ])('%s: its names become aliases, and its question is heard', async (_, make, request, streaming) => {
    const { lessons, streams } = await taught(make, request)
    expect(streams).toBe(streaming)
    const names = { contextId: expect.any(String) as string, taskId: expect.any(String) as string }
    expect(lessons).toEqual([
      { kind: 'alias', ...names },
      { kind: 'agent-message', text: 'Which date', asks: true, ...names },
    ])
  })
})
