import type { AdminRoute } from './server.ts'

/** For Prometheus. Open: numbers by names of plugins and reasons, nothing of anybody's traffic. */
export function metricsRoute(scrape: () => Promise<{ readonly text: string; readonly type: string }>): AdminRoute {
  return {
    path: '/metrics',
    answer: async () => ({ status: 200, ...(await scrape()) }),
  }
}
