import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judgedChains } from '../support/chains.ts'
import { openClient } from '../support/clients.ts'
import type { Asked, Client, Got } from '../support/clients.ts'
import { useStage } from '../support/e2e.ts'
import { startEnvoy } from '../support/envoy.ts'
import type { Envoy } from '../support/envoy.ts'
import { allow, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { scratchFolder } from '../support/scratch.ts'
import { SHAPES } from '../support/shapes.ts'
import { withoutProcessor } from '../support/sidecar.ts'
import type { Arrival, Upstream } from '../support/upstream.ts'

/** New for each exchange; and the edits that we make inbound. */
const DIFFERS = ['x-request-id', 'date', 'traceparent', 'x-plumbline-session']

let judge: StubJudge
let bare: Envoy
let closeBare: () => Promise<void>
const { stage } = useStage(async () => {
  judge = await startJudge(allow)
  return { config: judgedChains({ judgeUrl: judge.url }) }
})

// The same Envoy without the processor, before the same servers.
beforeAll(async () => {
  const folder = await scratchFolder()
  const { agent, upstream, upstream2 } = stage()
  bare = await startEnvoy({
    folder: folder.path,
    values: {
      agentPort: agent.port,
      plumblineAdminPort: stage().adminPort,
      plumblineSocket: `${folder.path}/none.sock`,
      workload: 'tested',
      names: { 'upstream.test': upstream.port, 'upstream2.test': upstream2.port },
      tls: undefined,
      messageTimeoutMs: undefined,
    },
    change: withoutProcessor,
  })
  closeBare = async () => {
    await bare.close()
    await folder.close()
  }
  for (const server of [agent, upstream, upstream2]) {
    server.answer((_arrival, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'], 'x-Odd': ' spaced ' })
      outgoing.end(a2aAnswer('Done.'))
    })
  }
})
afterAll(async () => {
  await closeBare()
  await judge.close()
})

interface Seen {
  readonly arrived: Arrival | undefined
  readonly got: Got
}

async function sendThrough(client: Client, server: Upstream, asked: Asked): Promise<Seen> {
  const got = await client.send(asked)
  return { got, arrived: server.arrivals.at(-1) }
}

/** All that can differ and must not. */
function comparable({ arrived, got }: Seen): object {
  const kept = (headers: readonly (readonly [string, string])[] = []) =>
    headers.filter(([name]) => !DIFFERS.includes(name.toLowerCase()))
  return {
    request: { ...arrived, body: undefined, headers: kept(arrived?.headers) },
    answer: { status: got.status, headers: kept(got.rawHeaders), text: got.text, trailers: got.trailers },
  }
}

describe.each(['h1', 'h2'] as const)('%s', (protocol) => {
  describe.each(SHAPES)('a body $name', ({ send }) => {
    test.each(['inbound', 'outbound'] as const)('is the same %s with us and without us', async (direction) => {
      const outbound = protocol === 'h1' ? stage().upstream : stage().upstream2
      const server = direction === 'inbound' ? stage().agent : outbound
      const body = direction === 'inbound' ? a2aSend('Weather?') : mcpCall('get_weather', { city: 'Zürich', n: 1e3 })
      const shape = send(body)
      const asked: Asked = {
        host: protocol === 'h1' ? 'upstream.test' : 'upstream2.test',
        path: '/mcp?b=1&a=%20',
        ...shape,
        headers: { ...MCP_HEADERS, 'x-b': '1', 'x-a': ['2', '3'], cookie: 'c=d', ...shape.headers },
      }
      const port = direction === 'inbound' ? bare.inboundPort : bare.outboundPort
      const plain = openClient(protocol, port)
      const expected = await sendThrough(plain, server, asked)
      await plain.close()
      expect(expected.got.status).toBe(200)

      const seen = await sendThrough(stage().client(protocol, direction), server, asked)

      expect(comparable(seen)).toEqual(comparable(expected))
    })
  })
})

test('the handle that a client sends never reaches the upstream, and the agent gets ours', async () => {
  const headers = { ...MCP_HEADERS, 'x-plumbline-session': 'made-up' }
  const asked = { host: 'upstream.test', path: '/mcp', body: mcpCall('get_weather', {}), headers }
  const out = await sendThrough(stage().client('h1', 'outbound'), stage().upstream, asked)
  expect(out.arrived?.headers.map(([name]) => name)).not.toContain('x-plumbline-session')

  const inbound = { host: 'agent', path: '/', body: a2aSend('Weather?'), headers }
  const into = await sendThrough(stage().client('h1', 'inbound'), stage().agent, inbound)
  const names = into.arrived?.headers.map(([name]) => name)
  expect(names).toContain('traceparent')
  const handles = into.arrived?.headers.filter(([name]) => name === 'x-plumbline-session').map(([, value]) => value)
  expect(handles).toHaveLength(1)
  expect(handles).not.toContain('made-up')
})
