import { createJsonClient } from '../../client/json.ts'
import type { PluginType } from '../../config/plugin-type.ts'
import type { Gate } from '../../core/plugin.ts'
import { compileExemptions } from '../kit/exemptions.ts'
import { createLimiter } from '../kit/limiter.ts'
import { createVerdictCache } from '../kit/verdict-cache.ts'
import { SPARC_CODES } from './codes.ts'
import { checkSparc, embeddedTrack, failsOpen, reflectUrl, sparcSchema, warnSparc, type SparcConfig } from './config.ts'
import { createEmbeddedReflector } from './embedded/index.ts'
import { createHttpReflector, SENTINEL_HEADER } from './http-reflector.ts'
import type { Reflector } from './reflector.ts'
import { createSparc } from './sparc.ts'

/** Questions to the reflection service at once, and how many wait beside them. */
const REFLECTOR_RUNNING = 64
const REFLECTOR_WAITING = 256
const REFLECTOR_ANSWER_BYTES = 1_048_576

export const sparcType: PluginType<SparcConfig, Gate> = {
  name: 'sparc',
  kind: 'gate',
  directions: ['outbound'],
  schema: sparcSchema,
  requires: [],
  requiresAny: ['inference-parser', 'mcp-parser'],
  codes: SPARC_CODES,
  check: checkSparc,
  warn: warnSparc,
  failsOpen,
  create: (config, services, chain) =>
    createSparc({
      config,
      reflector: createReflector(config),
      cache: createVerdictCache({
        ttlMs: config.cache_ttl_ms,
        keeps: ({ kind }) => kind === 'verdict',
        now: services.now,
      }),
      exempts: compileExemptions(
        {
          asks: config.reflector === 'http' ? { url: reflectUrl(config), header: SENTINEL_HEADER } : undefined,
          paths: config.bypass_paths,
          hosts: config.bypass_hosts,
          exactHosts: [],
        },
        chain,
      ),
      now: services.now,
    }),
}

function createReflector(config: SparcConfig): Reflector {
  if (config.reflector === 'embedded') {
    return createEmbeddedReflector({ track: embeddedTrack(config) ?? 'embedded', policy: config.embedded_policy })
  }
  return createHttpReflector({
    client: createJsonClient({ maxResponseBytes: REFLECTOR_ANSWER_BYTES, connections: REFLECTOR_RUNNING }),
    limiter: createLimiter({ running: REFLECTOR_RUNNING, waiting: REFLECTOR_WAITING }),
    url: reflectUrl(config),
    bearer: config.reflector_bearer,
    track: config.track,
  })
}
