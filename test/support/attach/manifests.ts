import { stringify } from 'yaml'
import { runChart } from '../../charts/helm.ts'
import type { KubeObject, Values } from '../../charts/helm.ts'

/** A manifest in `envoy/` for whoever does not use Helm: what the chart renders from these values. */
interface Plan {
  readonly file: string
  readonly says: string
  readonly values: Values
}

const AGENT = { name: 'my-agent', namespace: 'agents' }
const GATEWAY_CLIENT = { credentialName: 'plumbline-client' }
const BY_PORT = { service: { direction: 'port' } }

const PLANS: readonly Plan[] = [
  {
    file: 'istio-sidecar.yaml',
    says: `Istio: an agent whose pods have a sidecar, with Plumbline as a shared service. docs/attach/istio.md says what it needs.
To adapt: the namespace agents, the label app, the workload my-agent (twice).`,
    values: {
      attach: {
        istio: { sidecars: [{ ...AGENT, labels: { app: 'my-agent' }, outboundTrafficPolicy: 'REGISTRY_ONLY' }] },
      },
    },
  },
  {
    file: 'istio-sidecar-socket.yaml',
    says: `Istio: an agent whose pods have a sidecar and Plumbline beside it, on a Unix socket. docs/attach/istio.md says what it needs.
To adapt: the namespace agents, the label app, the workload my-agent (twice).`,
    values: {
      shape: 'sidecar',
      attach: {
        istio: {
          sidecars: [
            {
              ...AGENT,
              labels: { app: 'my-agent' },
              socket: '/run/plumbline/plumbline.sock',
              outboundTrafficPolicy: 'REGISTRY_ONLY',
            },
          ],
        },
      },
    },
  },
  {
    file: 'istio-gateway.yaml',
    says: `Istio: a gateway through which users reach an agent, and one through which the agent reaches others. docs/attach/istio.md says
what they need. To adapt: the namespace, the names of the gateways, the workload my-agent (twice).`,
    values: {
      attach: {
        istio: {
          gateways: [
            {
              name: 'ingress',
              namespace: 'agents',
              gateway: 'agents-ingress',
              direction: 'inbound',
              workload: 'my-agent',
              clientTls: GATEWAY_CLIENT,
            },
            {
              name: 'egress',
              namespace: 'agents',
              gateway: 'agents-egress',
              direction: 'outbound',
              workload: 'my-agent',
              clientTls: GATEWAY_CLIENT,
            },
          ],
        },
      },
    },
  },
  {
    file: 'istio-waypoint.yaml',
    says: `Istio, ambient: a waypoint in front of an agent, and one in front of what the agent calls. docs/attach/istio.md says what they need.
To adapt: the namespaces, the names of the waypoints, the workload my-agent (twice).`,
    values: {
      attach: {
        istio: {
          waypoints: [
            {
              name: 'agents',
              namespace: 'agents',
              gateway: 'waypoint',
              direction: 'inbound',
              workload: 'my-agent',
              clientTls: GATEWAY_CLIENT,
            },
            {
              name: 'tools',
              namespace: 'tools',
              gateway: 'waypoint',
              direction: 'outbound',
              workload: 'my-agent',
              clientTls: GATEWAY_CLIENT,
            },
          ],
        },
      },
    },
  },
  {
    file: 'envoy-gateway.yaml',
    says: `Envoy Gateway: a gateway through which users reach agents, and one through which agents reach others. docs/attach/envoy-gateway.md
says what they need. To adapt: the namespace agents, the names of the gateways.`,
    values: {
      ...BY_PORT,
      attach: {
        envoyGateway: {
          gateways: [
            {
              name: 'ingress',
              namespace: 'agents',
              gateway: 'agents-ingress',
              direction: 'inbound',
              clientCertificate: 'plumbline-client',
            },
            {
              name: 'egress',
              namespace: 'agents',
              gateway: 'agents-egress',
              direction: 'outbound',
              clientCertificate: 'plumbline-client',
            },
          ],
        },
      },
    },
  },
  {
    file: 'kgateway.yaml',
    says: `kgateway: a gateway through which users reach agents, and one through which agents reach others. docs/attach/kgateway.md says what
they need. To adapt: the namespace agents, the names of the gateways.`,
    values: {
      ...BY_PORT,
      attach: {
        kgateway: {
          gateways: [
            { name: 'ingress', namespace: 'agents', gateway: 'agents-ingress', direction: 'inbound' },
            { name: 'egress', namespace: 'agents', gateway: 'agents-egress', direction: 'outbound' },
          ],
        },
      },
    },
  },
  {
    file: 'gateway.yaml',
    says: `A plain Envoy that stands by itself: users reach the agent through it, the agent reaches others through it, and it reaches Plumbline
over mutual TLS. It is sidecar.yaml with other addresses; the words for each setting are there. docs/attach/plain-envoy.md says
what it needs. To adapt: the addresses of Plumbline and of the agent, the workload (twice), the hosts of tls_by_envoy.`,
    values: {
      attach: {
        plainEnvoy: {
          gateways: [{ name: 'gateway', workload: 'my-agent', agent: { host: 'my-agent.agents', port: 8001 } }],
        },
      },
    },
  },
]

export interface Manifest {
  readonly file: string
  readonly objects: readonly KubeObject[]
  readonly text: string
}

/** What `envoy/` should hold, by the chart as it is now. */
export async function renderManifests(): Promise<readonly Manifest[]> {
  const cases = PLANS.map(({ values }) => ({
    values: { ...BASE, ...values },
    release: 'plumbline',
    namespace: 'plumbline',
  }))
  const { renderings } = await runChart(cases)
  return PLANS.map(({ file, says }, i) => {
    const rendering = renderings[i]
    if (rendering === undefined || rendering.error !== undefined) throw new Error(`${file}: ${rendering?.error ?? ''}`)
    const attached = rendering.objects.filter(({ template }) => template.includes('/attach/'))
    const objects = attached.map(({ object }) => withoutHelm(object))
    return { file, objects, text: `${header(says)}\n${textOf(objects)}` }
  })
}

const BASE = {
  shape: 'shared',
  tls: { secretName: 'plumbline-tls' },
  // Says who reaches the port; no manifest shows it.
  networkPolicy: { enabled: false },
}

function header(says: string): string {
  return `${says}\nRendered from the chart by \`node scripts/attachments.mjs\`: do not edit.`
    .split('\n')
    .map((line) => `# ${line}\n`)
    .join('')
}

/** Labels that say who installed it are not true of a file that is applied by hand. */
function withoutHelm(object: KubeObject): KubeObject {
  const { metadata } = object
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => key === 'app.kubernetes.io/part-of')
  return { ...object, metadata: { ...metadata, labels: Object.fromEntries(labels) } }
}

/** A ConfigMap with Envoy's whole configuration is of use as that configuration alone. */
function textOf(objects: readonly KubeObject[]): string {
  const [only] = objects
  if (only?.kind === 'ConfigMap') return (only['data'] as { readonly 'envoy.yaml': string })['envoy.yaml']
  return objects.map((object) => stringify(object, { lineWidth: 0, singleQuote: true })).join('---\n')
}
