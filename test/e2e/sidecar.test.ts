import { execFileSync } from 'node:child_process'
import { afterAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../support/clients.ts'
import { useStage } from '../support/e2e.ts'
import { envoyBinary } from '../support/envoy.ts'
import { startUpstream, TLS_AUTHORITY } from '../support/upstream.ts'
import type { Upstream } from '../support/upstream.ts'

// What the shipped file does by itself: nothing here needs a plugin.
let tls: Upstream
const { stage, expectLosses } = useStage(async () => {
  tls = await startUpstream('tls')
  return {
    config: { pipeline: { inbound: { plugins: [] }, outbound: { plugins: [] } } },
    tls: { hosts: [`localhost:${tls.port}`], authority: TLS_AUTHORITY },
  }
})
afterAll(() => tls.close())

test('Envoy takes the file as it is shipped', () => {
  const args = ['--mode', 'validate', '-c', 'envoy/sidecar.yaml', '--log-level', 'error']
  expect(execFileSync(envoyBinary(), args, { encoding: 'utf8' })).toContain('OK')
})

describe.each(['h1', 'h2'] as const)('%s', (protocol) => {
  const upstream = () => (protocol === 'h1' ? stage().upstream : stage().upstream2)

  test('TLS to a listed host is spoken by Envoy', async () => {
    const got = await stage()
      .client(protocol, 'outbound')
      .send({ host: `localhost:${tls.port}`, body: 'over TLS' })
    expect([got.status, got.text]).toEqual([200, 'hello from upstream'])
  })

  test('a name leads to the address that it stands for', async () => {
    const got = await stage()
      .client(protocol, 'outbound')
      .send({ host: `localhost:${upstream().port}` })
    expect(got.status).toBe(200)
  })

  // The same names lead to another port in the test above.
  describe.each(['127.0.0.1', '127.9.9.9', 'localhost', '0.0.0.0', '[::1]', '[::]', '[::ffff:127.0.0.1]'])(
    'own ports under the name %s',
    (name) => {
      test.each(['adminPort', 'inboundPort', 'outboundPort'] as const)('%s is out of reach', async (which) => {
        const port = which === 'adminPort' ? stage().adminPort : stage().envoy[which]
        const got = await stage()
          .client(protocol, 'outbound')
          .send({ host: `${name}:${port}`, path: '/readyz' })
        expect(got.status).toBe(403)
        const line = await stage().envoy.accessLine(got.requestId)
        expect(line.details).toBe('rbac_access_denied_matched_policy[own_ports]')
      })
    },
  )

  test.each(['2130706433', '0x7f.1', '127.1'])(
    'a number that may mean this machine leads nowhere: %s',
    async (name) => {
      const got = await stage()
        .client(protocol, 'outbound')
        .send({ host: `${name}:${stage().adminPort}`, path: '/readyz' })
      expect(got.status).toBe(503)
      expect((await stage().envoy.accessLine(got.requestId)).details).toContain('dns_resolution_failure')
    },
  )

  test('dot segments and doubled slashes are gone before anybody judges or serves the path', async () => {
    const host = protocol === 'h1' ? 'upstream.test' : 'upstream2.test'
    await stage().client(protocol, 'outbound').send({ host, path: '/a//b/../c?q=1' })
    expect(upstream().arrivals.at(-1)?.path).toBe('/a/c?q=1')
  })

  test('an escaped slash is refused', async () => {
    const got = await stage().client(protocol, 'outbound').send({ host: 'upstream.test', path: '/a%2Fb' })
    expect(got.status).toBe(400)
  })
})

test.each(['inboundPort', 'outboundPort'] as const)('%s: CONNECT is answered, in words', async (which) => {
  const port = stage().envoy[which]
  const ask = 'CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n'
  const seen = await sendRaw(port, ask, (text) => text.includes('speaks TLS'))
  expect(seen).toMatch(/^HTTP\/1\.1 403 /)
  expect(seen).toContain('Send plain HTTP')
})

test('an upgrade is answered 403, and the upstream hears nothing of it', async () => {
  const before = stage().upstream.bytes()
  const ask = 'GET / HTTP/1.1\r\nhost: upstream.test\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'
  const seen = await sendRaw(stage().envoy.outboundPort, ask, (text) => text.includes('cannot be checked'))
  expect(seen).toMatch(/^HTTP\/1\.1 403 /)
  expect(stage().upstream.bytes()).toBe(before)
})

test('a header with an underscore is refused, one with a dash is not', async () => {
  const ask = (name: string) => {
    const lines = ['GET / HTTP/1.1', 'host: upstream.test', 'connection: close', `${name}: 1`, '', '']
    return sendRaw(stage().envoy.outboundPort, lines.join('\r\n'), () => false)
  }
  const before = stage().upstream.arrivals.length
  // Envoy closes the connection: what it says about it reaches the access log only.
  expect(await ask('x_session')).not.toContain('200 OK')
  expect(stage().upstream.arrivals.length).toBe(before)
  expect(await ask('x-session')).toContain('200 OK')
})

test('without Plumbline nothing passes', async () => {
  expectLosses({ streams_failed: 2 })
  await stage().stopPlumbline('SIGKILL')
  const before = stage().upstream.connections()
  for (const direction of ['inbound', 'outbound'] as const) {
    const got = await stage().client('h1', direction).send({ host: 'upstream.test', body: 'x' })
    expect(got.status).toBe(503)
  }
  expect(stage().upstream.connections()).toBe(before)
  await stage().restartPlumbline()
  const got = await stage().client('h1', 'outbound').send({ host: 'upstream.test', body: 'x' })
  expect(got.status).toBe(200)
})
