import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { beforeAll, describe, expect, test } from 'vitest'
import { PROXY, TRANSPARENT, merged } from '../charts/matrix.ts'
import { runChart } from '../charts/helm.ts'
import type { Values } from '../charts/helm.ts'
import { fileIn } from '../charts/workloads.ts'
import { acknowledging } from '../support/acks.ts'
import { judgedChains } from '../support/chains.ts'
import { chartSidecar, placedAs } from '../support/chart-sidecar.ts'
import { useStage } from '../support/e2e.ts'
import { envoyBinary } from '../support/envoy.ts'
import { ackedEvents } from '../support/events.ts'
import { allow, deny, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, chatRequest, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { startProgram } from '../support/process.ts'
import { scratchFolder } from '../support/scratch.ts'
import { sayJson } from '../support/scripted-agent.ts'
import { sayOk } from '../support/upstream.ts'

/*
 * The configurations that the chart renders for the Envoy beside an agent, in a real Envoy with a real Plumbline. No packet is
 * captured here: tests of the transparent variant connect to its listener, as a captured connection would arrive there.
 */

const TOKEN: Values = { secrets: { listenerToken: { secretName: 'token' } } }

/** Everything that Envoy's configuration follows from, on and off. */
const VARIANTS: readonly Values[] = [
  PROXY,
  ...['host', 'originalDestination'].flatMap((routing) =>
    ['refuse', 'pass'].map((tls) => merged(TRANSPARENT, { sidecar: { transparent: { routing, tls } } })),
  ),
]
const MORE: Values = {
  ...TOKEN,
  config: { listener: { max_body_bytes: 1_048_576, max_streams: 200, verdict_deadline_ms: 12_345 } },
}
const HOSTS: Values = {
  sidecar: { tlsHosts: ['api.example.com', '*.example.org'], ports: { inbound: 18000, outbound: 13128 } },
}

test(
  'the real Envoy takes every configuration, and the doctor finds nothing but what the values asked for',
  { timeout: 300_000 },
  async () => {
    const cells = VARIANTS.flatMap((values) => [{ values }, { values: merged(merged(values, MORE), HOSTS) }])
    const { renderings } = await runChart(cells)
    const folder = await scratchFolder()
    try {
      for (const [i, rendering] of renderings.entries()) {
        const file = join(folder.path, `${i}.yaml`)
        await writeFile(file, withAuthority(fileIn(rendering, '-envoy', 'envoy.yaml') ?? rendering.error ?? ''))
        const args = ['--mode', 'validate', '-c', file, '--log-level', 'error']
        const env = { ...process.env, PLUMBLINE_TOKEN: 'token' }
        expect(execFileSync(envoyBinary(), args, { encoding: 'utf8', env })).toContain('OK')
        const passes = JSON.stringify(cells[i]?.values).includes('"tls":"pass"')
        expect(await findings(file)).toEqual(passes ? ['tcp_unseen'] : [])
      }
    } finally {
      await folder.close()
    }
  },
)

/** What `plumbline doctor` finds in a configuration of Envoy. */
async function findings(file: string): Promise<readonly string[]> {
  const main = join(import.meta.dirname, '..', '..', 'dist', 'main.js')
  const doctor = startProgram(process.execPath, [main, 'doctor', '--envoy-config', file, '--json'], process.env)
  await doctor.ended
  const { checks } = JSON.parse(doctor.stdout.join('\n')) as { checks: { id: string; outcome: string }[] }
  return checks.filter(({ outcome }) => outcome === 'found').map(({ id }) => id)
}

/** A file with some authority in it. */
const AUTHORITY = join(import.meta.dirname, '..', 'support', 'tls', 'egress-ca.pem')

/** In place of the one in Envoy's image. */
const withAuthority = (envoy: string) => envoy.replaceAll('/etc/ssl/certs/ca-certificates.crt', AUTHORITY)

describe.each([
  ['proxy', merged(PROXY, TOKEN)],
  ['transparent', merged(TRANSPARENT, TOKEN)],
])('%s: routed by Host', (variant, values) => {
  let judge: StubJudge
  const { stage } = useStage(async () => {
    judge = await startJudge()
    const sidecar = withAuthority(await chartSidecar(values))
    return { config: judgedChains({ judgeUrl: judge.url }), sidecar }
  })
  beforeAll(() => () => judge.close())

  const counted = async (stat: string) => {
    const values = Object.values(await stage().envoy.stats(stat))
    return values.reduce((sum, value) => sum + value, 0)
  }

  /** By the dynamic forward proxy itself: a name that is looked up, and a port of ours that is not guarded. */
  const host = () => `localhost:${stage().upstream.port}`
  const ask = () => {
    stage().agent.answer(sayJson(a2aAnswer('Done.')))
    return stage()
      .client('h1', 'inbound')
      .send({ host: 'agent', body: a2aSend('Read my mail.'), headers: MCP_HEADERS })
  }
  const call = () =>
    stage()
      .client('h1', 'outbound')
      .send({ host: host(), path: '/mcp', body: mcpCall('send', { to: 'x' }), headers: MCP_HEADERS })

  test('an allowed call arrives where its Host header says', async () => {
    judge.judge(allow)
    stage().upstream.answer(sayOk)
    expect((await ask()).status).toBe(200)
    const got = await call()
    expect([got.status, got.text]).toEqual([200, 'hello from upstream'])
    expect(await stage().plumbline().record(got.requestId)).toMatchObject({ direction: 'outbound', statusCode: 200 })
  })

  test('a denied call does not', async () => {
    judge.judge(deny)
    await ask()
    const arrived = stage().upstream.bytes()
    const got = await call()
    expect([got.status, got.text.includes('ibac.blocked')]).toEqual([403, true])
    expect((await stage().envoy.accessLine(got.requestId)).details).toBe('ibac.blocked')
    expect(stage().upstream.bytes()).toBe(arrived)
  })

  test('a stream arrives event by event', async () => {
    judge.judge(allow)
    await ask()
    const events = ['one', 'two'].map((content) => `data: ${JSON.stringify(chunk(content))}\n\n`)
    const stream = ackedEvents([...events, 'data: [DONE]\n\n'])
    stage().upstream.answer(stream.answer)
    const got = await stage()
      .client('h1', 'outbound')
      .send({
        host: host(),
        path: '/v1/chat/completions',
        body: chatRequest('Hello', { stream: true }),
        headers: { 'content-type': 'application/json' },
        onPiece: acknowledging(stream),
      })
    expect(got.text).toBe([...events, 'data: [DONE]\n\n'].join(''))
  })

  test('the ports of the pod are no destination', async () => {
    judge.judge(allow)
    stage().upstream.answer(sayOk)
    await ask()
    const got = await stage()
      .client('h1', 'outbound')
      .send({ host: `127.0.0.1:${stage().adminPort}`, path: '/readyz' })
    expect(got.status).toBe(403)
    const { details } = await stage().envoy.accessLine(got.requestId)
    expect(details).toBe('rbac_access_denied_matched_policy[own_ports]')
  })

  if (variant === 'transparent')
    test('a connection that is TLS already is closed', async () => {
      const before = await counted('no_filter_chain_match')
      expect(await tlsHandshake(stage().envoy.outboundPort)).toBe('closed')
      expect(await counted('no_filter_chain_match')).toBe(before + 1)
    })
})

describe('transparent: routed to the original destination', () => {
  let judge: StubJudge
  const { stage } = useStage(async () => {
    judge = await startJudge()
    const byDestination = await chartSidecar(
      merged(merged(TRANSPARENT, TOKEN), { sidecar: { transparent: { routing: 'originalDestination', tls: 'pass' } } }),
    )
    const sidecar = withAuthority(await chartSidecar(merged(PROXY, TOKEN)))
    const changeEnvoy = (rendered: string) => placedAs(withAuthority(byDestination), rendered)
    return {
      config: judgedChains({ judgeUrl: judge.url, ibac: { bypass_hosts: ['trusted.test'] } }),
      sidecar,
      changeEnvoy,
    }
  })
  beforeAll(() => () => judge.close())

  const call = () =>
    stage()
      .client('h1', 'outbound')
      .send({ host: 'trusted.test', path: '/mcp', body: mcpCall('send', { to: 'x' }), headers: MCP_HEADERS })

  test('a host is not trusted: its bytes may go elsewhere', async () => {
    stage().agent.answer(sayJson(a2aAnswer('Done.')))
    await stage()
      .client('h1', 'inbound')
      .send({ host: 'agent', body: a2aSend('Hello.'), headers: MCP_HEADERS })
    judge.judge(deny)
    const got = await call()
    expect([got.status, got.text.includes('ibac.blocked')]).toEqual([403, true])
  })

  test('what was not captured ends here, and does not go round for ever', async () => {
    judge.judge(allow)
    const got = await call()
    expect(got.status).toBe(403)
    const { details } = await stage().envoy.accessLine(got.requestId)
    expect(details).toBe('rbac_access_denied_matched_policy[own_ports]')
    expect(await tlsHandshake(stage().envoy.outboundPort)).toBe('closed')
    // The chain that lets TLS pass took it, and found that it was meant for nobody else.
    expect(await stage().envoy.stats('tcp.unseen')).toMatchObject({ 'tcp.unseen.downstream_cx_total': 1 })
    expect(await stage().envoy.stats('cluster.original_destination.upstream_cx_total')).toEqual({
      'cluster.original_destination.upstream_cx_total': 0,
    })
  })
})

/** What becomes of a client that starts TLS. */
function tlsHandshake(port: number): Promise<'secure' | 'closed'> {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    socket.once('secureConnect', () => {
      socket.destroy()
      done('secure')
    })
    socket.once('error', () => done('closed'))
    socket.once('close', () => done('closed'))
  })
}

function chunk(content: string) {
  return { id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { content } }] }
}
