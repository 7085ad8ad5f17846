import { fileURLToPath } from 'node:url'
import { loadSync } from '@grpc/proto-loader'
import type { MethodDefinition, Options } from '@grpc/proto-loader'

/** Beside `src` and beside `dist` alike. */
export const PROTO_FOLDER = fileURLToPath(new URL('../../proto', import.meta.url))

/**
 * Cheap to decode: no defaults filled in, numbers for enums (a name that is unknown would silently become the default),
 * and `request` or `response` naming the member that is set.
 */
export const LOADER_OPTIONS = {
  keepCase: false,
  defaults: false,
  oneofs: true,
  longs: Number,
  enums: Number,
  bytes: Buffer,
  includeDirs: [PROTO_FOLDER],
} as unknown as Options

const definitions = loadSync(
  ['envoy/service/ext_proc/v3/external_processor.proto', 'grpc/health/v1/health.proto'],
  LOADER_OPTIONS,
)

function method(service: string, name: string): MethodDefinition<object, object> {
  const found = definitions[service] as Record<string, MethodDefinition<object, object>> | undefined
  const definition = found?.[name]
  if (definition === undefined) throw new Error(`proto/ does not define ${service}/${name}`)
  return definition
}

export const EXT_PROC_SERVICE = 'envoy.service.ext_proc.v3.ExternalProcessor'
export const HEALTH_SERVICE = 'grpc.health.v1.Health'

export const PROCESS = method(EXT_PROC_SERVICE, 'Process')
export const HEALTH_CHECK = method(HEALTH_SERVICE, 'Check')
export const HEALTH_WATCH = method(HEALTH_SERVICE, 'Watch')
