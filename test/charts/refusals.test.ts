import { beforeAll, describe, expect, test } from 'vitest'
import { type Json, type Rendering, runChart, type Values } from './helm.ts'
import { merged, PROXY, SHARED, TRANSPARENT } from './matrix.ts'
import { kindOf } from './workloads.ts'

const ENVOYS: Values = { namespaceSelector: {}, podSelector: { matchLabels: { app: 'envoy' } } }

/** Values that would run open, with half of the sessions, or not at all; and the words that say so. */
const WRONG: readonly (readonly [what: string, values: Values, says: RegExp])[] = [
  ['the shared service without TLS', merged(SHARED, { tls: { secretName: '' } }), /tls\.secretName: .* mutual TLS/],
  [
    'nobody said who the Envoys are',
    merged(SHARED, { networkPolicy: { gateways: [] } }),
    /networkPolicy\.gateways: say which pods are the Envoys/,
  ],
  ['two replicas', merged(SHARED, { replicas: 2 }), /replicas: 2: sessions live in the memory of one process/],
  ...['autoscaling', 'podDisruptionBudget', 'topologySpread'].map(
    (part) =>
      [
        part,
        merged(SHARED, { [part]: { enabled: true } }),
        new RegExp(`${part}\\.enabled: .* needs a shared session store`),
      ] as const,
  ),
  ['a store that does not exist', merged(SHARED, { sessionStore: { kind: 'redis' } }), /sessionStore\/kind/],
  [
    'a bearer in the values',
    merged(PROXY, withGate({ judge_endpoint: 'https://api.example.com', judge_model: 'm', judge_bearer: 'sk-1' })),
    /judge_bearer of ibac is written into the values\. Put it into a Secret/,
  ],
  [
    'a bearer as the default of a variable',
    merged(PROXY, withGate({ judge_endpoint: 'https://a.example', judge_model: 'm', judge_bearer: '${X:-sk-1}' })),
    /judge_bearer of ibac is written into the values/,
  ],
  [
    'a time-out that the chart cannot know',
    merged(withVariable('TIMEOUT'), withGate({ judge: 'embedded', timeout_ms: '${TIMEOUT}' })),
    /cannot know what timeout_ms: \$\{TIMEOUT\} of ibac will be/,
  ],
  [
    'a variable that nobody sets',
    merged(PROXY, withGate({ judge_endpoint: '${LLM}', judge_model: 'm' })),
    /config: \$\{LLM\} is set nowhere\. Name LLM in secrets\.env/,
  ],
  [
    'the endpoint of a reflection service that is not deployed',
    merged(PROXY, withReflector('${SPARC_ENDPOINT}')),
    /SPARC_ENDPOINT is set by sparcService\.enabled/,
  ],
  [
    'the agent on a port of Envoy',
    merged(PROXY, { sidecar: { agentPort: 8000 } }),
    /sidecar\.ports\.inbound: 8000 is also sidecar\.agentPort/,
  ],
  [
    'Envoy on a port of Plumbline',
    merged(PROXY, { probes: { kind: 'grpc' }, sidecar: { ports: { outbound: 9093 } } }),
    /sidecar\.ports\.outbound: 9093 is also Plumbline's health service/,
  ],
  [
    'an issuer without a name',
    merged(SHARED, { tls: { certificate: { enabled: true } } }),
    /tls\.certificate\.issuerRef\.name/,
  ],
  [
    'a client certificate with nowhere to go',
    merged(SHARED, { tls: { certificate: { enabled: true, issuerRef: { name: 'i' }, client: { enabled: true } } } }),
    /tls\.certificate\.client: .* secretName/,
  ],
  ['the agent as user of Plumbline', merged(PROXY, { sidecar: { agentUid: 65532 } }), /sidecar\.agentUid: 65532/],
  [
    'nothing to capture with',
    merged(TRANSPARENT, { sidecar: { transparent: { init: { image: { repository: '' } } } } }),
    /sidecar\.transparent\.init\.image\.repository: name an image/,
  ],
  ['no image of the reflection service', merged(PROXY, { sparcService: { enabled: true } }), /sparcService\.image/],
  ...(
    [
      ['all namespaces', { namespaceSelector: {} }],
      ['a whole namespace', { podSelector: {} }],
      ['all pods', { namespaceSelector: {}, podSelector: {} }],
      ['all addresses', { ipBlock: { cidr: '0.0.0.0/0' } }],
    ] as const
  ).map(
    ([what, peer]) =>
      [
        `a peer that is ${what}`,
        merged(SHARED, { networkPolicy: { gateways: [ENVOYS, peer] } }),
        /networkPolicy\.gateways: .* is everybody/,
      ] as const,
  ),
  ...['HTTP_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'HOST'].map(
    (name) =>
      [
        `the agent told otherwise: ${name}`,
        merged(PROXY, { agent: { env: [{ name, value: '' }] } }),
        new RegExp(`agent\\.env: ${name} is what the chart sets`),
      ] as const,
  ),
  ...['plumbline-socket', 'admin-token', 'listener-token'].map(
    (name) =>
      [
        `the agent with ${name}`,
        merged(PROXY, { agent: { extraVolumeMounts: [{ name, mountPath: '/mine' }] } }),
        new RegExp(`agent\\.extraVolumeMounts: ${name} is a volume of Envoy`),
      ] as const,
  ),
  // `null` deletes a default: none of these may be taken for a "no".
  ['neither told nor captured', merged(TRANSPARENT, { sidecar: { variant: null } }), /sidecar.*variant/],
  ['no user', merged(PROXY, { sidecar: { agentUid: null } }), /sidecar.*agentUid/],
  ['no outbound chain', merged(PROXY, { config: { pipeline: { outbound: null } } }), /pipeline.*outbound/],
  ['no plugins', merged(PROXY, { config: { pipeline: { inbound: { plugins: null } } } }), /inbound.*plugins/],
  ['no word on policies', merged(PROXY, { networkPolicy: { enabled: null } }), /networkPolicy.*enabled/],
  ['any number, of no store', merged(SHARED, { replicas: 3, sessionStore: { kind: null } }), /sessionStore.*kind/],
  // What the schema says.
  ['a shape that there is not', { shape: 'both' }, /shape/],
  ['a misspelt value', merged(PROXY, { sidecar: { agentport: 1 } }), /sidecar.*agentport/],
  ['a misspelt option of Plumbline', merged(PROXY, { config: { session: { tll: '5m' } } }), /session.*tll/],
  [
    'an address: only the chart says those',
    merged(PROXY, { config: { listener: { ext_proc_addr: 'x' } } }),
    /ext_proc/,
  ],
  ['a token file likewise', merged(PROXY, { config: { admin: { token_file: '/x' } } }), /token_file/],
  ['a plugin that there is not', merged(PROXY, withPlugins('inbound', ['mcp-persar'])), /inbound\/plugins\/0/],
  ['a user that is root', merged(PROXY, { runAsUser: 0 }), /runAsUser/],
  ['text where a number stands', merged(SHARED, { replicas: 'one' }), /replicas.*integer/],
  ['the shared service for everybody', merged(SHARED, { service: { type: 'LoadBalancer' } }), /service\/type/],
  ['a peer that is everybody', merged(SHARED, { networkPolicy: { gateways: [{}] } }), /gateways\/0/],
  ['half a variable', merged(PROXY, { secrets: { env: [{ name: 'A', secretName: 's' }] } }), /secrets\/env\/0.*key/],
  [
    'a drain that is a variable',
    merged(SHARED, { config: { listener: { drain_deadline_ms: '${DRAIN}' } } }),
    /drain_deadline_ms/,
  ],
]

let renderings: readonly Rendering[] = []
beforeAll(async () => {
  renderings = (await runChart(WRONG.map(([, values]) => ({ values })))).renderings
})

describe('values are refused, with the words', () => {
  test.each(WRONG.map(([what, , says], i) => ({ what, says, i })))('$what', ({ says, i }) => {
    expect(renderings[i]?.error?.replaceAll('\n', ' ')).toMatch(says)
    expect(renderings[i]?.objects).toEqual([])
  })
})

test('what the wrong ones were made from is taken', async () => {
  const bases = [
    SHARED,
    PROXY,
    TRANSPARENT,
    merged(PROXY, withGate({ judge: 'embedded', timeout_ms: 900 })),
    merged(withVariable('LLM'), withGate({ judge_endpoint: '${LLM}', judge_model: '${MODEL:-m}$${X}' })),
    merged(PROXY, { sparcService: SPARC_SERVICE, ...withReflector('${SPARC_ENDPOINT}') }),
    merged(PROXY, { probes: { kind: 'grpc' }, sidecar: { agentPort: 8002 } }),
    merged(SHARED, { networkPolicy: { gateways: [ENVOYS, { ipBlock: { cidr: '10.0.0.0/8' } }] } }),
    merged(PROXY, {
      agent: { env: [{ name: 'HOSTS', value: '' }], extraVolumeMounts: [{ name: 'x', mountPath: '/x' }] },
    }),
    merged(TRANSPARENT, { agent: { env: [{ name: 'NO_PROXY', value: '' }] } }),
  ]
  const { renderings: taken } = await runChart(bases.map((values) => ({ values })))
  for (const rendering of taken) expect(rendering.error).toBeUndefined()
})

test('with a store that several share there would be an autoscaler, a budget and a spread; with none there are not', async () => {
  const parts = Object.fromEntries(
    ['autoscaling', 'podDisruptionBudget', 'topologySpread'].map((part) => [part, { enabled: true }]),
  )
  const shared = merged(SHARED, { ...parts, sessionStore: { kind: 'shared' } })
  const { renderings: two } = await runChart([{ values: shared, withoutSchema: true }, { values: SHARED }])
  const kinds = (rendering: Rendering | undefined) =>
    ['HorizontalPodAutoscaler', 'PodDisruptionBudget'].map((kind) => rendering && kindOf(rendering, kind).length)
  expect(kinds(two[0])).toEqual([1, 1])
  expect(kinds(two[1])).toEqual([0, 0])
  const [withStore, without] = two.map(specOfDeployment)
  expect(withStore?.strategy).toBeUndefined()
  expect(withStore?.template.spec.topologySpreadConstraints).toHaveLength(1)
  expect(without?.strategy).toEqual({ type: 'Recreate' })
  expect(without?.template.spec.topologySpreadConstraints).toBeUndefined()
  expect(two[0]?.objects.flatMap(({ problems }) => problems)).toEqual([])
})

test('every value is in the schema, with a word on what it is', async () => {
  const { values, schema } = await runChart([])
  const missing: string[] = []
  const walk = (path: string, value: Json | undefined, at: Json | undefined) => {
    const node = (at ?? {}) as Values
    if (typeof node['description'] !== 'string') missing.push(path)
    const fields = node['properties'] as Values | undefined
    if (fields === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [key, below] of Object.entries(value)) walk(`${path}.${key}`, below, fields[key])
  }
  for (const [key, value] of Object.entries(values)) walk(key, value, (schema['properties'] as Values)[key])
  expect(missing).toEqual([])
})

function withPlugins(direction: 'inbound' | 'outbound', plugins: Json): Values {
  return { config: { pipeline: { [direction]: { plugins } } } }
}

function withVariable(name: string): Values {
  return merged(PROXY, { extraEnv: [{ name, value: 'x' }] })
}

const SPARC_SERVICE: Values = { enabled: true, image: { repository: 'sparc-service' } }

function withReflector(reflector_endpoint: string): Values {
  return withPlugins('outbound', ['mcp-parser', 'inference-parser', { name: 'sparc', config: { reflector_endpoint } }])
}

function withGate(config: Values): Values {
  return withPlugins('outbound', ['mcp-parser', { name: 'ibac', config }])
}

interface DeploymentSpec {
  readonly strategy?: object
  readonly template: { readonly spec: { readonly topologySpreadConstraints?: readonly object[] } }
}

function specOfDeployment(rendering: Rendering): DeploymentSpec | undefined {
  return (kindOf(rendering, 'Deployment')[0] as unknown as { spec: DeploymentSpec } | undefined)?.spec
}
