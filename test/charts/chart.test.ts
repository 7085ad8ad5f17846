import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { PLUGIN_TYPES } from '../../src/cli/plugins.ts'
import { chainsOf } from '../../src/cli/silent-chains.ts'
import { NEEDS_RESTART } from '../../src/config/changes.ts'
import { messageTimeouts, verdictDeadlines } from '../../src/config/deadlines.ts'
import { type Config, readConfig } from '../../src/config/load.ts'
import { topSchema } from '../../src/config/schema.ts'
import { ibacSchema } from '../../src/gates/ibac/config.ts'
import { sparcSchema } from '../../src/gates/sparc/config.ts'
import { customProblems } from './custom-resources.ts'
import { type Json, type KubeObject, type Lint, type Rendering, runChart, type Values } from './helm.ts'
import { MATRIX, merged, SHARED } from './matrix.ts'
import { templates } from './templates.ts'
import { type Container, containersOf, fileIn, kindOf, type Pod, podsOf, selects } from './workloads.ts'

let renderings: readonly Rendering[] = []
let lints: readonly (Lint | null)[] = []

beforeAll(async () => {
  const run = await runChart(MATRIX.map((cell) => ({ ...cell, lint: cell.title.endsWith('nothing') })))
  renderings = run.renderings
  lints = run.lints
})

const CELLS = MATRIX.map(({ title, values }, i) => ({ title, values, i }))

function rendered(i: number): Rendering {
  const rendering = renderings[i]
  if (rendering === undefined || rendering.error !== undefined) throw new Error(rendering?.error ?? 'not rendered')
  return rendering
}

test('helm lint finds nothing wrong with either shape', () => {
  const linted = lints.filter((lint) => lint !== null)
  expect(linted).toHaveLength(3)
  for (const lint of linted) {
    expect(lint.errors).toEqual([])
    // An icon is a matter of taste.
    expect(lint.messages.filter(({ severity }) => severity > 1)).toEqual([])
  }
})

describe.each(CELLS)('$title', ({ i, values }) => {
  test('every object is what the schemas of its kind know', () => {
    for (const { object, known, problems } of rendered(i).objects) {
      expect(known ? problems : customProblems(object), `${object.kind} ${object.metadata.name}`).toEqual([])
    }
  })

  test('no two objects have one name, and every object says whose it is', () => {
    const objects = rendered(i).objects.map(({ object }) => object)
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    for (const { metadata } of objects) expect(metadata.labels?.['app.kubernetes.io/instance']).toBe('release')
  })

  test('containers may do nothing, but for the one that captures', () => {
    for (const pod of podsOf(rendered(i))) {
      expect(pod.spec['automountServiceAccountToken']).toBe(false)
      for (const forbidden of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod.spec[forbidden]).toBeUndefined()
      expect(pod.spec['shareProcessNamespace'] ?? false).toBe(false)
      for (const { name, securityContext, resources } of containersOf(pod)) {
        const own = name === 'capture' ? CAPTURES : CAN_DO_NOTHING
        expect(securityContext, name).toMatchObject(own)
        if (name !== 'capture') expect(securityContext?.['runAsUser'], name).not.toBe(0)
        expect(resources?.requests, name).toBeDefined()
        expect(resources?.limits, name).toBeDefined()
      }
    }
  })

  test('only the init container of the transparent variant has capabilities, and only when it captures', () => {
    const { variant, transparent } = sidecarOf(values)
    const capturing = podsOf(rendered(i)).flatMap(containersOf).filter(hasCapabilities)
    const wanted = variant === 'transparent' && !transparent?.cni && agentEnabled(values)
    expect(capturing.map(({ name }) => name)).toEqual(wanted ? ['capture'] : [])
  })

  test('the socket is in two containers, in memory, and the agent is another user', () => {
    for (const pod of podsOf(rendered(i)).filter(hasSocket)) {
      const mounting = containersOf(pod).filter(({ volumeMounts = [] }) => volumeMounts.some(isSocket))
      expect(mounting.map(({ name }) => name).sort()).toEqual(['envoy', 'plumbline'])
      expect(pod.spec.volumes?.find(isSocket)?.emptyDir).toMatchObject({ medium: 'Memory' })
      const users = new Map(
        containersOf(pod).map(({ name, securityContext }) => [name, securityContext?.['runAsUser']]),
      )
      expect(users.get('envoy')).toBe(users.get('plumbline'))
      expect(users.get('agent')).not.toBe(users.get('plumbline'))
    }
  })

  test('no Secret is made, and what is secret comes from one', () => {
    const rendering = rendered(i)
    expect(kindOf(rendering, 'Secret')).toEqual([])
    const variables = podsOf(rendering)
      .flatMap(containersOf)
      .flatMap(({ env = [] }) => env)
    for (const { name, valueFrom } of variables.filter(({ name }) => /TOKEN|KEY|BEARER/.test(name))) {
      expect(valueFrom?.secretKeyRef, name).toBeDefined()
    }
  })

  test('every container that stays is probed', () => {
    for (const pod of podsOf(rendered(i)).filter(({ owner }) => owner.kind === 'Deployment')) {
      for (const container of containersOf(pod).filter(({ name }) => !['capture', 'agent'].includes(name))) {
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
          expect(container[probe], `${container.name} ${probe}`).toBeDefined()
        }
      }
    }
  })

  test('what pods mount is there, and what the release does not make is named by the values', () => {
    const rendering = rendered(i)
    const maps = kindOf(rendering, 'ConfigMap').map(({ metadata }) => metadata.name)
    for (const pod of podsOf(rendering)) {
      const volumes = pod.spec.volumes ?? []
      const mounted = new Set(
        containersOf(pod).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)),
      )
      for (const name of mounted) expect(volumes.map((volume) => volume.name)).toContain(name)
      for (const { configMap } of volumes) if (configMap) expect([...maps, 'ca']).toContain(configMap.name)
      for (const { secret } of volumes) if (secret) expect(JSON.stringify(values)).toContain(`"${secret.secretName}"`)
    }
  })

  test('services, policies and monitors find the pods that they are for', () => {
    const rendering = rendered(i)
    const deployments = podsOf(rendering).filter(({ owner }) => owner.kind === 'Deployment')
    const pods = agentEnabled(values) ? deployments : [...deployments, ...podOfAnotherChart(rendering)]
    for (const service of kindOf(rendering, 'Service')) {
      const { selector, ports } = (service as unknown as ServiceObject).spec
      const found = pods.filter(({ labels }) => selects(selector, labels))
      expect(found.length, service.metadata.name).toBe(1)
      const names = found.flatMap(containersOf).flatMap((container) => (container.ports ?? []).map(({ name }) => name))
      if (agentEnabled(values)) for (const { targetPort } of ports) expect(names).toContain(targetPort)
    }
    for (const pod of deployments) {
      const policies = kindOf(rendering, 'NetworkPolicy').filter((policy) => isFor(policy, pod))
      expect(policies.length, pod.owner.metadata.name).toBe(1)
    }
    for (const monitor of kindOf(rendering, 'ServiceMonitor')) {
      const { matchLabels } = (monitor as unknown as { spec: { selector: { matchLabels: Labels } } }).spec.selector
      const services = kindOf(rendering, 'Service').filter(({ metadata }) =>
        selects(matchLabels, metadata.labels ?? {}),
      )
      expect(services.map(({ metadata }) => metadata.name.replace(/.*-/, ''))).toEqual(['admin'])
    }
  })

  test('Plumbline takes the configuration, speaks TCP only with TLS, and Envoy waits longer than it does', () => {
    const rendering = rendered(i)
    const config = configurationOf(rendering)
    const { ext_proc_addr: address, inbound_addr: inbound, outbound_addr: outbound, tls } = config.listener
    const tcp = [address, inbound, outbound].filter((each) => each !== undefined && !each.startsWith('unix:'))
    if (values['shape'] === 'sidecar') expect(tcp).toEqual([])
    else expect([tcp.length > 0, tls !== undefined]).toEqual([true, true])
    const needed = messageTimeouts(verdictDeadlines(chainsOf(config), config.listener.verdict_deadline_ms))
    for (const timeout of messageTimeoutsOf(rendering)) {
      expect(timeout).toBeGreaterThanOrEqual(Math.max(needed.inbound, needed.outbound))
    }
  })

  test('one replica, never two at once, with time to drain', () => {
    const config = configurationOf(rendered(i))
    for (const pod of podsOf(rendered(i)).filter(holdsSessions)) {
      const { replicas, strategy } = (pod.owner as unknown as DeploymentObject).spec
      expect([replicas, strategy?.type]).toEqual([1, 'Recreate'])
      expect(pod.spec['terminationGracePeriodSeconds']).toBeGreaterThan(config.listener.drain_deadline_ms / 1000)
    }
  })
})

test('the matrix reaches every template', () => {
  const reached = new Set(renderings.flatMap(({ objects }) => objects.map(({ template }) => template)))
  // Those render with a store that several replicas share, or belong to the attachments' own tests.
  const elsewhere = /\/(autoscaling|disruption)\.yaml$|\/attach\//
  expect(templates().filter((name) => !reached.has(name) && !elsewhere.test(name))).toEqual([])
})

test('the time-outs that the chart assumes for gates are their own', async () => {
  const gates = [
    { name: 'ibac', config: { judge: 'embedded' }, timeout: ibacSchema.parse({ judge: 'embedded' }).timeout_ms },
    {
      name: 'sparc',
      config: { reflector_endpoint: 'http://sparc:8090' },
      timeout: sparcSchema.parse({ reflector_endpoint: 'http://sparc:8090' }).timeout_ms,
    },
  ]
  const { renderings: found } = await runChart(
    gates.map(({ name, config }) => ({
      values: { shape: 'sidecar', config: { pipeline: { outbound: { plugins: [{ name, config }] } } } },
    })),
  )
  found.forEach((rendering, i) => {
    for (const timeout of messageTimeoutsOf(rendering)) expect(timeout).toBe((gates[i]?.timeout ?? 0) + 2500)
  })
})

test('hot: a change that a running Plumbline cannot make is another pod, and no other change is', async () => {
  const defaults = topSchema.parse({ pipeline: {} }).listener as Readonly<Record<string, unknown>>
  const others: Readonly<Record<string, Json>> = { workload: 'other', routing: 'host', verdict_deadline_ms: 9000 }
  const { properties } = ((await schemaOfValues())['config'] as unknown as ConfigSchema).properties.listener
  const keys = Object.keys(properties)
  const { renderings: changed } = await runChart([
    { values: SHARED },
    ...keys.map((key) => ({
      values: merged(SHARED, { config: { listener: { [key]: others[key] ?? Number(defaults[key]) + 1 } } }),
    })),
  ])
  const [before, ...after] = changed.map((rendering) => podsOf(rendering)[0]?.annotations['checksum/config'])
  const replaced = keys.filter((_, i) => after[i] !== before)
  const mustBe = keys.filter((key) => NEEDS_RESTART.listener?.includes(key))
  expect(mustBe.length).toBeGreaterThan(3)
  expect(replaced).toEqual(mustBe)
})

test('what the chart runs in the image is where the Dockerfile puts it', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  const [node = ''] = JSON.parse(/ENTRYPOINT (\[.*\])\n(?![\s\S]*ENTRYPOINT)/.exec(dockerfile)?.[1] ?? '[]') as string[]
  const i = MATRIX.findIndex(({ title }) => title === 'proxy: nothing')
  const agent = podsOf(rendered(i))
    .flatMap(containersOf)
    .find(({ name }) => name === 'agent')
  expect(agent?.command?.[0]).toBe(node)
  expect(rendered(i).notes).toContain(`${node} /app/dist/main.js doctor`)
  expect(dockerfile).toContain(`USER ${String(agentless(rendered(i))?.securityContext?.['runAsUser'])}:`)
})

test('alert rules and dashboard come out as they are written', () => {
  const i = MATRIX.findIndex(({ values }) => 'monitoring' in values)
  const written = (file: string) => readFileSync(`charts/plumbline/files/monitoring/${file}`, 'utf8')
  const [rule] = kindOf(rendered(i), 'PrometheusRule')
  expect(rule?.['spec']).toEqual(parse(written('rules.yaml')))
  expect(fileIn(rendered(i), '-dashboard', 'dashboard.json')).toBe(written('dashboard.json'))
})

const agentless = (rendering: Rendering) =>
  podsOf(rendering)
    .flatMap(containersOf)
    .find(({ name }) => name === 'plumbline')

interface ConfigSchema {
  readonly properties: { readonly listener: { readonly properties: Readonly<Record<string, unknown>> } }
}

async function schemaOfValues(): Promise<Values> {
  return (await runChart([])).schema['properties'] as Values
}

const CAN_DO_NOTHING = {
  runAsNonRoot: true,
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  privileged: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

const CAPTURES = {
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  privileged: false,
  capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

type Labels = Readonly<Record<string, string>>

interface ServiceObject {
  readonly spec: { readonly selector: Labels; readonly ports: readonly { readonly targetPort: string }[] }
}

interface DeploymentObject {
  readonly spec: { readonly replicas?: number; readonly strategy?: { readonly type: string } }
}

interface SidecarValues {
  readonly variant?: string
  readonly transparent?: { readonly cni?: boolean }
}

const sidecarOf = (values: object): SidecarValues => ({
  ...(values as { readonly shape?: string; readonly sidecar?: SidecarValues }).sidecar,
})

const agentEnabled = (values: object): boolean =>
  (values as { readonly agent?: { readonly enabled?: boolean } }).agent?.enabled !== false

function hasCapabilities({ securityContext }: Container): boolean {
  const { add } = (securityContext?.['capabilities'] ?? {}) as { readonly add?: readonly string[] }
  return add !== undefined
}

const isSocket = ({ name }: { readonly name: string }) => name === 'plumbline-socket'
const hasSocket = (pod: Pod) => (pod.spec.volumes ?? []).some(isSocket)
const holdsSessions = (pod: Pod) =>
  pod.owner.kind === 'Deployment' && containersOf(pod).some(({ name }) => name === 'plumbline')

function isFor(policy: KubeObject, pod: Pod): boolean {
  const { podSelector } = (policy as unknown as { spec: { podSelector: { matchLabels: Labels } } }).spec
  return selects(podSelector.matchLabels, pod.labels)
}

/** The pod of a chart that includes the templates; it has the labels that the policy selects by. */
function podOfAnotherChart(rendering: Rendering): readonly Pod[] {
  const policy = kindOf(rendering, 'NetworkPolicy').find(({ metadata }) => !metadata.name.endsWith('-sparc'))
  if (policy === undefined) throw new Error('no policy')
  const { podSelector } = (policy as unknown as { spec: { podSelector: { matchLabels: Labels } } }).spec
  return [{ owner: policy, labels: podSelector.matchLabels, annotations: {}, spec: { containers: [] } }]
}

function configurationOf(rendering: Rendering): Config {
  const text = fileIn(rendering, '-config', 'plumbline.yaml')
  // What Secrets and extraEnv hold.
  const environment = { LLM_BEARER: 'b', LLM_MODEL: 'm', SPARC_ENDPOINT: 'http://s', SPARC_BEARER: 'b' }
  const loaded = readConfig(text ?? '', 'plumbline.yaml', { environment, types: PLUGIN_TYPES })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

/** `message_timeout` of every ext_proc filter in Envoy's configuration, in milliseconds. */
function messageTimeoutsOf(rendering: Rendering): readonly number[] {
  const envoy = fileIn(rendering, '-envoy', 'envoy.yaml')
  if (envoy === undefined) return []
  const found = [...JSON.stringify(parse(envoy)).matchAll(/"message_timeout":"([\d.]+)s"/g)]
  expect(found).toHaveLength(2)
  return found.map(([, seconds]) => Number(seconds) * 1000)
}
