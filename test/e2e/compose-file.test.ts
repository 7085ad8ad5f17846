import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { agentAt, envoyInbound, HOSTS, proxyAt } from '../../compose/places.ts'
import { withGate } from '../../demo/mail/config.ts'
import { drawStory } from '../../demo/mail/story.ts'
import { runTool } from '../support/tools.ts'

interface Service {
  readonly image: string
  readonly build?: { readonly target?: string }
  readonly user?: string
  readonly command?: readonly string[]
  readonly network_mode?: string
  readonly networks?: Readonly<Record<string, { readonly aliases?: readonly string[] } | null>>
  readonly ports?: readonly { readonly host_ip: string; readonly target: number }[]
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
}

/** As Docker Compose itself reads it; a file that it does not take fails here. */
const { services } = JSON.parse(runTool('docker-compose', 'config', '--format', 'json')) as {
  readonly services: Readonly<Record<string, Service>>
}
const named = Object.entries(services)
const service = (name: string): Service => services[name] ?? expect.fail(`no service ${name}`)

interface Sidecar {
  readonly static_resources: {
    readonly listeners: readonly { name: string; address: { socket_address: { port_value: number } } }[]
    readonly clusters: readonly {
      name: string
      load_assignment?: {
        endpoints: { lb_endpoints: { endpoint: { address: { pipe?: { path: string }; socket_address?: object } } }[] }[]
      }
    }[]
  }
}

const { static_resources: sidecar } = parse(readFileSync('envoy/sidecar.yaml', 'utf8')) as Sidecar
const portOf = (name: string) => sidecar.listeners.find((l) => l.name === name)?.address.socket_address.port_value
const addressOf = (name: string) =>
  sidecar.clusters.find((c) => c.name === name)?.load_assignment?.endpoints[0]?.lb_endpoints[0]?.endpoint.address

const CONFIGS = ['with-gate', 'without-gate'] as const
interface Config {
  readonly listener: { readonly ext_proc_addr: string }
  readonly admin: { readonly address: string }
  readonly pipeline: object
}
const configOf = (name: string) => parse(readFileSync(`compose/${name}.yaml`, 'utf8')) as Config

test('the socket is mounted for Envoy and Plumbline, who are one user, and for nobody else', () => {
  const holders = named.filter(([, { volumes = [] }]) => volumes.some(({ source }) => source === 'socket'))
  expect(holders.map(([name]) => name).sort()).toEqual(['envoy', 'plumbline'])
  expect(new Set(holders.map(([, { user }]) => user))).toEqual(new Set(['65532:65532']))
  expect(service('agent').user).not.toBe('65532:65532')
})

test('Envoy runs the file that the tests run, of the version that they run', () => {
  const mount = service('envoy').volumes?.find(({ target }) => target === '/etc/envoy/sidecar.yaml')
  expect(mount?.source.endsWith('/envoy/sidecar.yaml')).toBe(true)
  expect(service('envoy').command).toContain('/etc/envoy/sidecar.yaml')
  const [, tested] = /DEFAULT_VERSION = '(.*)'/.exec(readFileSync('scripts/envoy.mjs', 'utf8')) ?? []
  expect(service('envoy').image).toBe(`envoyproxy/envoy:distroless-v${tested}`)
})

test.each(named)('%s: what it mounts is there', (_name, { volumes = [] }) => {
  for (const { source } of volumes.filter(({ type }) => type === 'bind')) expect(existsSync(source), source).toBe(true)
})

test.each(named)('%s can do nothing that it does not need', (_name, { read_only: readOnly, cap_drop: dropped }) => {
  expect([readOnly, dropped]).toEqual([true, ['ALL']])
})

test('ports are those of sidecar.yaml', () => {
  expect(service('envoy').ports).toMatchObject([{ host_ip: '127.0.0.1', target: portOf('inbound') }])
  expect(envoyInbound).toEqual({ host: 'envoy', port: portOf('inbound') })
  expect(proxyAt).toBe(portOf('outbound'))
  expect(addressOf('agent')?.socket_address).toEqual({ address: '127.0.0.1', port_value: agentAt })
  expect(service('agent').network_mode).toBe('service:envoy')
})

test('the servers have the names that the story has', () => {
  const aliases = named.flatMap(([, { networks = {} }]) => networks['world']?.aliases ?? [])
  expect(aliases.sort()).toEqual(Object.values(HOSTS).sort())
})

describe.each(CONFIGS)('compose/%s.yaml', (name) => {
  test('listens where Envoy asks, and its admin is the one that Envoy keeps out of reach', () => {
    const { listener, admin } = configOf(name)
    expect(listener.ext_proc_addr).toBe(`unix:${addressOf('plumbline')?.pipe?.path}`)
    expect(readFileSync('envoy/sidecar.yaml', 'utf8')).toContain(`start: ${admin.address.split(':')[1]},`)
  })

  test("has the demo's own pipeline", () => {
    const options = { judge: undefined, keep: false, observe: false, withoutIbac: name === 'without-gate' }
    expect(configOf(name).pipeline).toEqual(withGate(drawStory('any', HOSTS), options).pipeline)
  })
})
