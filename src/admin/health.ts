import type { AdminRoute } from './server.ts'

/** What `/readyz` tells. Never what a session holds. */
export interface Readiness {
  readonly state: 'starting' | 'ready' | 'draining'
  /** Settings in force under which something passes unchecked. */
  readonly failsOpen: readonly string[]
  readonly warnings: readonly string[]
  readonly figures: Readonly<Record<string, number>>
  readonly configuration: ConfigurationStatus
}

/** Which file is in force, and how the newest attempt to put another in its place went. */
export interface ConfigurationStatus {
  /** ISO 8601. */
  readonly loadedAt: string
  /** SHA-256 of its text. */
  readonly digest: string
  readonly lastReload: LastReload | undefined
}

export interface LastReload {
  /** ISO 8601. */
  readonly at: string
  readonly ok: boolean
  /** One line each; none where it is ok. */
  readonly problems: readonly string[]
}

export function healthRoutes(readiness: () => Readiness): readonly AdminRoute[] {
  return [
    { path: '/healthz', answer: () => ({ status: 200, json: { status: 'alive' } }) },
    {
      path: '/readyz',
      answer: () => {
        const { state, failsOpen, warnings, figures, configuration } = readiness()
        const json = {
          status: state,
          fails_open: failsOpen,
          warnings,
          figures,
          configuration: configurationJson(configuration),
          // Whether it bears Envoy's resets hangs on it: `plumbline doctor` asks.
          node: process.versions.node,
        }
        return { status: state === 'ready' ? 200 : 503, json }
      },
    },
  ]
}

function configurationJson({ loadedAt, digest, lastReload }: ConfigurationStatus) {
  return { loaded_at: loadedAt, digest, ...(lastReload === undefined ? {} : { last_reload: reloadJson(lastReload) }) }
}

function reloadJson({ at, ok, problems }: LastReload) {
  return { at, ok, ...(ok ? {} : { problems }) }
}
