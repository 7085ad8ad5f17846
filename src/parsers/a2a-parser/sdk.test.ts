import type { Message } from '@a2a-js/sdk'
import { JsonRpcTransportFactory, RestTransportFactory, type Transport } from '@a2a-js/sdk/client'
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client'
import { describe, expect, test } from 'vitest'
import { exchangeOf } from '../../../test/support/parsers/exchange.ts'
import type { ReadResult } from '../../core/plugin.ts'
import type { Refusal } from '../../core/ruling.ts'
import { createA2aParser } from './index.ts'

/** What the protocol's own client sends must be read, and it must understand how we refuse. */
const parser = createA2aParser({ hosts: ['agent.test'], paths: [], denial: 'jsonrpc_error' })
const no: Refusal = { code: 'ibac.blocked', status: 403, message: 'Not asked for.', plugin: 'ibac', requestId: 'r-1' }

interface Client {
  readonly transport: Transport
  /** What we read of each request that it sent. */
  readonly seen: ReadResult[]
}

/** A client whose requests end in our reading, and are refused. */
async function clientOf(make: (fetchImpl: typeof fetch) => Transport | Promise<Transport>): Promise<Client> {
  const seen: ReadResult[] = []
  const transport = await make((url, init) => {
    const { pathname, search } = new URL(url)
    const headers = [...new Headers(init?.headers)]
    const { x, body } = exchangeOf({
      direction: 'inbound',
      host: 'agent.test',
      method: init?.method ?? 'GET',
      path: pathname + search,
      headers,
      body: init?.body,
    })
    const result = parser.read(x, body)
    seen.push(result)
    if (result.kind !== 'read') return Promise.reject(new Error(result.kind))
    const answer = result.refuse(no)
    return Promise.resolve(
      new Response(Buffer.from(answer.body), {
        status: answer.status,
        headers: [...answer.headers] as [string, string][],
      }),
    )
  })
  return { transport, seen }
}

const card = {} as Parameters<JsonRpcTransportFactory['create']>[1]
const CLIENTS: readonly [string, () => Promise<Client>][] = [
  [
    '1.0, JSON-RPC',
    () => clientOf((fetchImpl) => new JsonRpcTransportFactory({ fetchImpl }).create('http://agent.test/rpc', card)),
  ],
  [
    '1.0, HTTP',
    () => clientOf((fetchImpl) => new RestTransportFactory({ fetchImpl }).create('http://agent.test/a2a', card)),
  ],
  [
    '0.3, JSON-RPC',
    () => clientOf((fetchImpl) => new LegacyJsonRpcTransport({ endpoint: 'http://agent.test/rpc', fetchImpl })),
  ],
  [
    '0.3, HTTP',
    () => clientOf((fetchImpl) => new LegacyRestTransport({ endpoint: 'http://agent.test/a2a', fetchImpl })),
  ],
]

const message: Message = {
  ...{
    messageId: 'm1',
    contextId: 'c7',
    taskId: 't3',
    role: 1,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  parts: [{ content: { $case: 'text', value: 'book it' }, filename: '', mediaType: '', metadata: undefined }],
}
const params = { tenant: '', message, configuration: undefined, metadata: undefined }

describe.each(CLIENTS)('the official client, %s', (_, connect) => {
  test('what the user says is read, streaming or not, and a refusal reaches the caller', async () => {
    const { transport, seen } = await connect()
    await expect(transport.sendMessage(params)).rejects.toThrow()
    await expect(transport.sendMessageStream(params).next()).rejects.toThrow()
    expect(seen).toHaveLength(2)
    const lesson = { kind: 'user-message', text: 'book it', contextId: 'c7', taskId: 't3' }
    for (const result of seen)
      expect(result).toMatchObject({ lessons: [lesson], actions: [{ kind: 'request', effect: 'write' }] })
  })

  test('its polls are housekeeping, and cancelling is not', async () => {
    const { transport, seen } = await connect()
    await expect(transport.getTask({ tenant: '', id: 't3', historyLength: 2 })).rejects.toThrow()
    await expect(transport.resubscribeTask({ tenant: '', id: 't3' }).next()).rejects.toThrow()
    await expect(transport.getExtendedAgentCard({ tenant: '' })).rejects.toThrow()
    await expect(transport.cancelTask({ tenant: '', id: 't3', metadata: undefined })).rejects.toThrow()
    const kinds = seen.map((result) => (result.kind === 'read' ? result.actions[0].kind : result.kind))
    expect(kinds).toEqual(['mechanics', 'mechanics', 'mechanics', 'request'])
  })
})

test('the client of 1.0 says why it was refused', async () => {
  const [, connect] = CLIENTS[0] ?? []
  const client = await connect?.()
  await expect(client?.transport.sendMessage(params)).rejects.toThrow('Not asked for.')
  await expect(client?.transport.sendMessageStream(params).next()).rejects.toThrow('Not asked for.')
})
