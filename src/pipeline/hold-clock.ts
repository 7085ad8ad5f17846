/** Measures how long the oldest of the bytes that wait has waited. */
export interface HoldClock {
  /** So many bytes came. */
  came(bytes: number): void
  /** So many of them wait, the last ones that came. Starts the clock, moves it or stops it. */
  wait(bytes: number): void
}

/** When bytes came, up to this one since the first. */
interface Arrival {
  upTo: number
  readonly at: number
}

/** Bytes that come within such a part of the time count as one arrival, so that many small pieces cost little. */
const GRAINS = 256

/** `onLate`: they have waited so long. */
export function createHoldClock(ms: number, onLate: () => void): HoldClock {
  let arrivals: Arrival[] = []
  let total = 0
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    timer = undefined
    const oldest = arrivals[0]
    if (oldest === undefined) return
    const left = oldest.at + ms - performance.now()
    // A timer may go off a little early; and what it was set for may be gone.
    if (left > 0) timer = setTimeout(check, Math.ceil(left))
    else onLate()
  }

  return {
    came(bytes) {
      total += bytes
      const now = performance.now()
      const last = arrivals.at(-1)
      if (last !== undefined && now - last.at < ms / GRAINS) last.upTo = total
      else arrivals.push({ upTo: total, at: now })
    },
    wait(bytes) {
      const gone = total - bytes
      const firstWaiting = bytes === 0 ? -1 : arrivals.findIndex(({ upTo }) => upTo > gone)
      arrivals = firstWaiting === -1 ? [] : arrivals.slice(firstWaiting)
      if (arrivals.length === 0) {
        clearTimeout(timer)
        timer = undefined
      } else if (timer === undefined) {
        check()
      }
    },
  }
}
