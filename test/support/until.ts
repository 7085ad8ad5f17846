import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits for something that another process does and does not tell: looks until `look` gives a value. The limit only
 * ends a test that would hang; nothing is asserted about how long it took.
 */
export async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = Date.now() + 20_000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`Waited in vain for: ${what}`)
    await sleep(20)
  }
}
