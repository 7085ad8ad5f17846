// Renews the schemas under test/charts/crds, which the tests check rendered manifests against. For whoever moves to a newer version
// of one of these projects: it needs Go, which fetches the projects' own modules. No test runs it.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { ROOT } from './run.mjs'

const HOME = join(ROOT, 'test', 'charts', 'crds')
const ENVOY_GATEWAY = 'charts/gateway-crds-helm/templates/generated'

/** All of them are under the Apache License 2.0. `parts`: no more of the `spec` than that, where the whole would be huge. */
const SOURCES = [
  {
    project: 'istio',
    module: 'istio.io/api@v1.29.0',
    folder: 'kubernetes',
    kinds: { EnvoyFilter: {}, DestinationRule: {}, Sidecar: {} },
  },
  {
    project: 'gateway-api',
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    folder: 'config/crd/standard',
    kinds: { BackendTLSPolicy: {}, ReferenceGrant: {} },
  },
  {
    project: 'envoy-gateway',
    module: 'github.com/envoyproxy/gateway@v1.9.0',
    folder: ENVOY_GATEWAY,
    kinds: {
      EnvoyExtensionPolicy: {},
      ClientTrafficPolicy: {},
      BackendTrafficPolicy: {},
      EnvoyProxy: { parts: ['backendTLS', 'mergeGateways', 'provider.type'] },
    },
  },
  {
    project: 'envoy-gateway-oldest',
    module: 'github.com/envoyproxy/gateway@v1.6.2',
    folder: ENVOY_GATEWAY,
    kinds: {
      EnvoyExtensionPolicy: {},
      ClientTrafficPolicy: {},
      EnvoyProxy: { parts: ['backendTLS', 'mergeGateways'] },
    },
  },
  {
    project: 'kgateway',
    module: 'github.com/kgateway-dev/kgateway/v2@v2.4.0',
    folder: 'install/helm/kgateway-crds/templates',
    kinds: {
      GatewayExtension: { parts: ['type', 'extProc'] },
      TrafficPolicy: { parts: ['targetRefs', 'extProc'] },
      BackendConfigPolicy: {},
      ListenerPolicy: { parts: ['targetRefs', 'default'] },
    },
  },
  {
    project: 'prometheus-operator',
    module: 'github.com/prometheus-operator/prometheus-operator@v0.92.1',
    folder: 'example/prometheus-operator-crd',
    kinds: { ServiceMonitor: { parts: ['selector', 'endpoints'] }, PrometheusRule: {} },
  },
  {
    project: 'cert-manager',
    module: 'github.com/cert-manager/cert-manager@v1.21.0',
    folder: 'deploy/crds',
    kinds: { Certificate: {} },
  },
]

for (const source of SOURCES) {
  const { Dir } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', source.module], { encoding: 'utf8' }))
  const found = definitions(join(Dir, source.folder))
  for (const name of readdirSync(HOME)) if (name.startsWith(`${source.project}.`)) rmSync(join(HOME, name))
  for (const [kind, { parts }] of Object.entries(source.kinds)) {
    const definition = found.find((each) => each.spec.names.kind === kind)
    if (definition === undefined) throw new Error(`${source.module} has no ${kind}.`)
    const versions = definition.spec.versions
      .filter(({ served }) => served)
      .map(({ name, schema }) => ({ name, schema: only(parts, plain(schema.openAPIV3Schema)) }))
    const file = { from: `${source.module}, Apache-2.0`, group: definition.spec.group, kind, versions }
    writeFileSync(join(HOME, `${source.project}.${kind}.json`), `${JSON.stringify(file)}\n`)
  }
}

function definitions(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => documents(readFileSync(join(folder, name), 'utf8')))
    .filter((document) => document?.kind === 'CustomResourceDefinition')
}

function documents(text) {
  // Some are templates, with a condition around them.
  const plainText = text.replace(/^\{\{.*\}\}$/gm, '')
  return parseAllDocuments(plainText).map((document) => document.toJS())
}

/** Without the words, and without rules in CEL and patterns of Go's own, which these tests cannot evaluate. */
function plain(schema) {
  const kept = Object.entries(schema).filter(
    ([key, value]) =>
      !['description', 'x-kubernetes-validations'].includes(key) && !(key === 'pattern' && value.includes('(?i)')),
  )
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (key === 'properties') return [key, mapped(value, plain)]
      if (['items', 'additionalProperties', 'not'].includes(key) && typeof value === 'object')
        return [key, plain(value)]
      if (['anyOf', 'allOf', 'oneOf'].includes(key)) return [key, value.map(plain)]
      return [key, value]
    }),
  )
}

function only(parts, schema) {
  if (parts === undefined) return schema
  const { spec } = schema.properties
  const kept = parts
    .map((path) => path.split('.'))
    .map(([first, second]) => [first, narrowed(spec.properties[first], second)])
  return { ...schema, properties: { ...schema.properties, spec: { ...spec, properties: Object.fromEntries(kept) } } }
}

function narrowed(schema, name) {
  if (schema === undefined) throw new Error('A part that is to be kept is not there.')
  return name === undefined ? schema : { ...schema, properties: { [name]: schema.properties[name] } }
}

function mapped(object, map) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}
