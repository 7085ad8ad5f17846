import type { AdminRoute } from './server.ts'

/** What `/readyz` tells. Never what a session holds. */
export interface Readiness {
  readonly state: 'starting' | 'ready' | 'draining'
  /** Settings in force under which something passes unchecked. */
  readonly failsOpen: readonly string[]
  readonly warnings: readonly string[]
  readonly figures: Readonly<Record<string, number>>
}

export function healthRoutes(readiness: () => Readiness): readonly AdminRoute[] {
  return [
    { path: '/healthz', answer: () => ({ status: 200, json: { status: 'alive' } }) },
    {
      path: '/readyz',
      answer: () => {
        const { state, failsOpen, warnings, figures } = readiness()
        const json = { status: state, fails_open: failsOpen, warnings, figures }
        return { status: state === 'ready' ? 200 : 503, json }
      },
    },
  ]
}
