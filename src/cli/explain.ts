import type { ExplainUsage } from './usage.ts'

/** Gives the exit code. */
export async function explain(usage: ExplainUsage): Promise<number> {
  console.error(`${usage.name}: not built yet`)
  return Promise.resolve(1)
}
