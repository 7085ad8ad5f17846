import type { Case, Json, Values } from './helm.ts'

/** What an operator may switch on, as far as it goes with every shape. */
const OPTIONS: Readonly<Record<string, Values>> = {
  names: { fullnameOverride: 'gate', commonLabels: { team: 'agents' }, podLabels: { tier: 'guard' } },
  image: { image: { digest: `sha256:${'a'.repeat(64)}` }, imagePullSecrets: [{ name: 'registry' }] },
  restart: { reload: 'restart' },
  listenerToken: { secrets: { listenerToken: { secretName: 'tokens', key: 'listener' } } },
  adminToken: { secrets: { adminToken: { secretName: 'tokens', key: 'admin' } } },
  variables: {
    secrets: { env: [{ name: 'LLM_BEARER', secretName: 'llm', key: 'bearer' }] },
    extraEnv: [{ name: 'LLM_MODEL', value: 'some-model' }],
    config: {
      listener: { drain_deadline_ms: 90_000, max_body_bytes: 1_048_576, max_streams: 200 },
      pipeline: {
        outbound: {
          plugins: [
            'mcp-parser',
            {
              name: 'ibac',
              config: {
                judge_endpoint: 'https://api.example.com',
                judge_model: '${LLM_MODEL}',
                judge_bearer: '${LLM_BEARER}',
                timeout_ms: 9000,
              },
            },
          ],
        },
      },
    },
  },
  grpcProbes: { probes: { kind: 'grpc' } },
  volumes: {
    extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca', readOnly: true }],
  },
  scheduling: {
    nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    tolerations: [{ key: 'agents', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: 'high',
    podAnnotations: { 'example.com/owner': 'me' },
  },
  serviceAccount: { serviceAccount: { create: false } },
  egress: {
    networkPolicy: {
      egress: { enabled: true, to: [{ to: [{ ipBlock: { cidr: '203.0.113.0/24' } }], ports: [{ port: 443 }] }] },
      monitoring: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
      callers: [{ podSelector: { matchLabels: { role: 'caller' } } }],
    },
  },
  monitoring: {
    monitoring: {
      serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
      prometheusRule: { enabled: true },
      dashboard: { enabled: true },
    },
  },
  sparc: {
    sparcService: {
      enabled: true,
      image: { repository: 'sparc-service' },
      provider: 'openai',
      model: 'some-model',
      secrets: [{ name: 'OPENAI_API_KEY', secretName: 'openai', key: 'key' }],
      bearer: { secretName: 'sparc', key: 'bearer' },
      egress: { enabled: true },
    },
  },
}

const OF_THE_SHARED: Readonly<Record<string, Values>> = {
  byPort: { service: { direction: 'port' } },
  certManager: {
    tls: {
      certificate: {
        enabled: true,
        issuerRef: { name: 'envoys' },
        client: { enabled: true, secretName: 'envoy-client' },
      },
    },
  },
}

const OF_THE_SIDECAR: Readonly<Record<string, Values>> = {
  plain: { sidecar: { native: false } },
  hosts: {
    sidecar: { tlsHosts: ['api.example.com', 'api.example.org'], workload: 'mail-agent', noProxy: 'localhost' },
  },
  ports: { sidecar: { ports: { inbound: 18000, outbound: 13128 }, agentPort: 18001, agentUid: 20001 } },
  agent: {
    agent: {
      image: { repository: 'my-agent', tag: '1' },
      args: ['--port=8001'],
      env: [{ name: 'MODE', value: 'prod' }],
      extraVolumes: [{ name: 'data', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'data', mountPath: '/data' }],
    },
  },
  included: { agent: { enabled: false } },
}

const OF_THE_TRANSPARENT: Readonly<Record<string, Values>> = {
  originalDestination: { sidecar: { transparent: { routing: 'originalDestination' } } },
  encrypted: { sidecar: { transparent: { tls: 'pass' } } },
  cni: { sidecar: { transparent: { cni: true } } },
}

/** What each shape needs at least. */
export const SHARED: Values = {
  tls: { secretName: 'plumbline-tls' },
  networkPolicy: { gateways: [{ namespaceSelector: { matchLabels: { name: 'gateways' } } }] },
}
export const PROXY: Values = { shape: 'sidecar' }
export const TRANSPARENT: Values = {
  shape: 'sidecar',
  sidecar: { variant: 'transparent', transparent: { init: { image: { repository: 'iptables' } } } },
}

export interface Cell extends Case {
  readonly title: string
  readonly values: Values
}

/** Every pair of options meets on and off, in each of the four ways, within each shape and variant. */
export const MATRIX: readonly Cell[] = [
  ...cells('shared', SHARED, { ...OPTIONS, ...OF_THE_SHARED }),
  ...cells('proxy', PROXY, { ...OPTIONS, ...OF_THE_SIDECAR }),
  ...cells('transparent', TRANSPARENT, { ...OPTIONS, ...OF_THE_SIDECAR, ...OF_THE_TRANSPARENT }),
]

function cells(shape: string, base: Values, options: Readonly<Record<string, Values>>): readonly Cell[] {
  const names = Object.keys(options)
  return pairwise(names).map((chosen) => ({
    title: `${shape}: ${chosen.join(' ') || 'nothing'}`,
    values: chosen.reduce<Values>((whole, name) => merged(whole, options[name] ?? {}), base),
  }))
}

/**
 * None and all; and for each digit of the options' numbers, those that have it and those that lack it: two numbers differ in
 * one digit at least.
 */
function pairwise(names: readonly string[]): readonly (readonly string[])[] {
  const digits = Array.from({ length: Math.ceil(Math.log2(names.length)) }, (_, digit) => digit)
  const having = (digit: number, bit: number) => names.filter((_, i) => ((i >> digit) & 1) === bit)
  return [[], names, ...digits.flatMap((digit) => [having(digit, 0), having(digit, 1)])]
}

/** As Helm lays one set of values over another: mappings key by key, all else whole. */
export function merged(under: Values, over: Values): Values {
  const pairs = Object.entries(over).map(([key, value]) => {
    const below = under[key]
    return [key, isTree(below) && isTree(value) ? merged(below, value) : value] as const
  })
  return { ...under, ...Object.fromEntries(pairs) }
}

function isTree(value: Json | undefined): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
