import { readFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { beforeAll, describe, expect, test } from 'vitest'
import { renderManifests } from '../support/attach/manifests.ts'
import type { Manifest } from '../support/attach/manifests.ts'
import { customProblems } from './custom-resources.ts'
import { runChart } from './helm.ts'
import type { KubeObject, Rendering, Values } from './helm.ts'

const SHARED = { tls: { secretName: 'plumbline-tls' }, networkPolicy: { enabled: false } }
const BY_PORT = { ...SHARED, service: { direction: 'port' } }

let manifests: readonly Manifest[]
beforeAll(async () => {
  manifests = await renderManifests()
})

const FILES = [
  'istio-sidecar.yaml',
  'istio-sidecar-socket.yaml',
  'istio-gateway.yaml',
  'istio-waypoint.yaml',
  'envoy-gateway.yaml',
  'kgateway.yaml',
  'gateway.yaml',
]

describe.each(FILES)('envoy/%s', (file) => {
  const manifest = () => {
    const found = manifests.find((each) => each.file === file)
    if (found === undefined) throw new Error(`${file} is not rendered`)
    return found
  }

  test('is what the chart renders', async () => {
    const path = `envoy/${file}`
    const formatted = await format(manifest().text, { ...(await resolveConfig(path)), filepath: path })
    // Where it differs: `node scripts/attachments.mjs` writes it anew.
    expect(readFileSync(path, 'utf8')).toBe(formatted)
  })

  test('holds only what the schemas of its kinds know', () => {
    const custom = manifest().objects.filter(({ kind }) => kind !== 'ConfigMap')
    for (const object of custom) {
      const problems = customProblems(object)
      expect(problems, `${object.kind} has a schema`).toBeDefined()
      expect(problems, object.kind).toEqual([])
    }
  })
})

test('every manifest has been listed', () => {
  expect(manifests.map(({ file }) => file)).toEqual(FILES)
})

describe('the schemas can say no', () => {
  const policy = () => {
    const all = manifests.flatMap(({ objects }) => objects)
    const found = all.find(({ kind }) => kind === 'EnvoyExtensionPolicy')
    if (found === undefined) throw new Error('no policy')
    return structuredClone(found) as KubeObject & { spec: { extProc: Record<string, unknown>[] } }
  }

  test.each([
    ['a field that nobody knows', { failClosed: true }, 'additional properties'],
    ['a duration with a fraction', { messageTimeout: '7.5s' }, 'pattern'],
    ['a mode that does not exist', { processingMode: { request: { body: 'Whole' } } }, 'allowed values'],
  ])('%s', (_what, change, says) => {
    const object = policy()
    Object.assign(object.spec.extProc[0] ?? {}, change)
    expect(customProblems(object)?.join()).toContain(says)
  })

  test('statusOnError is for a version of Envoy Gateway that has it', () => {
    const object = policy()
    Object.assign(object.spec.extProc[0] ?? {}, { statusOnError: 503 })
    const problems = customProblems(object) ?? []
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain('envoy-gateway-oldest')
  })
})

const SIDECAR = { name: 'a', labels: { app: 'a' } }

const REFUSED: readonly { readonly what: string; readonly attach: Values; readonly says: string }[] = [
  {
    what: 'a gateway whose direction nobody says',
    attach: { istio: { gateways: [{ name: 'a', gateway: 'g' }] } },
    says: "missing property 'direction'",
  },
  {
    what: 'a misspelt value, which would open what is thought closed',
    attach: { istio: { sidecars: [{ ...SIDECAR, outboundTraficPolicy: 'REGISTRY_ONLY' }] } },
    says: 'outboundTraficPolicy',
  },
  {
    what: 'outbound without a word on what lies outside the mesh',
    attach: { istio: { sidecars: [SIDECAR] } },
    says: 'say outboundTrafficPolicy',
  },
  {
    what: 'to trust the Host header where it decides nothing',
    attach: { istio: { sidecars: [{ ...SIDECAR, outboundTrafficPolicy: 'ALLOW_ANY', routesByHost: true }] } },
    says: 'routesByHost holds only with outboundTrafficPolicy: REGISTRY_ONLY',
  },
  {
    what: 'Envoy Gateway on a port that serves both directions',
    attach: {
      envoyGateway: { gateways: [{ name: 'a', gateway: 'g', direction: 'inbound', clientCertificate: 'c' }] },
    },
    says: 'set service.direction: port',
  },
  {
    what: 'kgateway on a port that serves both directions',
    attach: { kgateway: { gateways: [{ name: 'a', gateway: 'g', direction: 'inbound' }] } },
    says: 'set service.direction: port',
  },
  {
    what: 'two attachments of one name',
    attach: {
      istio: {
        sidecars: [{ ...SIDECAR, outboundTrafficPolicy: 'REGISTRY_ONLY' }],
        gateways: [{ name: 'a', gateway: 'g', direction: 'inbound' }],
      },
    },
    says: 'attach.istio: the name "a" stands twice',
  },
]

describe('what the schema or the templates refuse', () => {
  let renderings: readonly Rendering[]
  beforeAll(async () => {
    renderings = (await runChart(REFUSED.map(({ attach }) => ({ values: { ...SHARED, attach } })))).renderings
  })
  test.each(REFUSED.map((refused, i) => ({ ...refused, i })))('$what', ({ i, says }) => {
    expect(renderings[i]?.error).toContain(says)
  })
})

describe('Istio', () => {
  test('Host is said to decide for what leaves a sidecar, never for what arrives', async () => {
    const rendering = await rendered({
      ...SHARED,
      attach: {
        istio: {
          sidecars: [{ name: 'a', labels: { app: 'a' }, outboundTrafficPolicy: 'REGISTRY_ONLY', routesByHost: true }],
        },
      },
    })
    const said = rendering.objects
      .flatMap(({ object }) => processors(object))
      .map((processor) => processor.grpc_service.initial_metadata.map(({ key, value }) => `${key}=${value}`))
    expect(said).toEqual([
      ['x-plumbline-direction=inbound', 'x-plumbline-workload=a'],
      ['x-plumbline-direction=outbound', 'x-plumbline-workload=a', 'x-plumbline-routing=host'],
    ])
  })

  test('a mesh that lets everything out is left as it is where the operator says so', async () => {
    const entry = { name: 'a', labels: { app: 'a' } }
    const [open, closed] = await Promise.all(
      ['ALLOW_ANY', 'REGISTRY_ONLY'].map((outboundTrafficPolicy) =>
        rendered({ ...SHARED, attach: { istio: { sidecars: [{ ...entry, outboundTrafficPolicy }] } } }),
      ),
    )
    expect(kinds(open)).not.toContain('Sidecar')
    expect(kinds(closed)).toContain('Sidecar')
  })
})

test('a policy in another namespace is let through to the Service', async () => {
  const entry = { name: 'a', gateway: 'g', direction: 'inbound', clientCertificate: 'c', statusOnError: 503 }
  const [near, far] = await Promise.all(
    [{}, { namespace: 'elsewhere' }].map((where) =>
      rendered({ ...BY_PORT, attach: { envoyGateway: { gateways: [{ ...entry, ...where }] } } }),
    ),
  )
  expect(kinds(near)).not.toContain('ReferenceGrant')
  expect(kinds(far)).toContain('ReferenceGrant')
})

interface Processor {
  readonly '@type': string
  readonly grpc_service: { readonly initial_metadata: readonly { readonly key: string; readonly value: string }[] }
}

function processors(object: KubeObject): readonly Processor[] {
  if (object.kind !== 'EnvoyFilter') return []
  const { configPatches } = object['spec'] as {
    configPatches: { patch: { value?: { typed_config?: Processor } } }[]
  }
  const configs = configPatches.map(({ patch }) => patch.value?.typed_config)
  return configs.filter((config): config is Processor => config?.['@type'].endsWith('ExternalProcessor') === true)
}

async function rendered(values: Values): Promise<Rendering> {
  const { renderings } = await runChart([{ values, release: 'plumbline', namespace: 'plumbline' }])
  const [rendering] = renderings
  if (rendering === undefined || rendering.error !== undefined) throw new Error(rendering?.error)
  return rendering
}

function kinds(rendering: Rendering | undefined): readonly string[] {
  return rendering?.objects.map(({ object }) => object.kind) ?? []
}
