import { setTimeout as sleep } from 'node:timers/promises'

/** How often files are looked at. */
export const LOOK_MS = 2_000
/** What has changed is given this long to become complete. */
const SETTLE_MS = 100

export interface WatchOptions {
  /** Whether there is something new. */
  readonly differs: () => Promise<boolean>
  /** Nothing is looked at until it has settled. Does not reject. */
  readonly onChange: () => Promise<unknown>
  readonly everyMs?: number
}

/**
 * Looks at regular intervals, instead of asking the system to tell: it works the same on every file system, for every
 * way of writing, and needs no watch that could be lost. Returns its stop.
 */
export function watchFiles({ differs, onChange, everyMs = LOOK_MS }: WatchOptions): () => void {
  const stopped = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: stopped.signal })
  const watch = async () => {
    for (;;) {
      await pause(everyMs)
      if (!(await differs())) continue
      await pause(SETTLE_MS)
      await onChange()
    }
  }
  // It only ends by being stopped.
  watch().catch(() => undefined)
  return () => stopped.abort()
}
