export type Limited<T> =
  | { readonly ran: true; readonly value: T }
  /** `full`: too many wait already. `expired`: the signal ended the wait. The task was not started. */
  | { readonly ran: false; readonly why: 'full' | 'expired' }

export interface Limiter {
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<Limited<T>>
}

export interface LimiterOptions {
  readonly running: number
  readonly waiting: number
}

/** At most so many tasks at once, at most so many waiting for a turn, first come first served. */
export function createLimiter(options: LimiterOptions): Limiter {
  let running = 0
  /** Those who wait, each with what hands it the place of a task that has ended. In the order of their coming. */
  const waiting = new Set<() => void>()

  const turn = (signal: AbortSignal): Promise<'free' | 'full' | 'expired'> => {
    if (signal.aborted) return Promise.resolve('expired')
    if (running < options.running) {
      running += 1
      return Promise.resolve('free')
    }
    if (waiting.size >= options.waiting) return Promise.resolve('full')
    return new Promise((resolve) => {
      const leave = (): void => {
        waiting.delete(enter)
        resolve('expired')
      }
      const enter = (): void => {
        signal.removeEventListener('abort', leave)
        resolve('free')
      }
      waiting.add(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  const handOver = (): void => {
    const [next] = waiting
    if (next === undefined) {
      running -= 1
      return
    }
    // The place goes over as it is: were it freed first, a newcomer could take it before the one who waited.
    waiting.delete(next)
    next()
  }

  return {
    run: async (task, signal) => {
      const got = await turn(signal)
      if (got !== 'free') return { ran: false, why: got }
      try {
        return { ran: true, value: await task() }
      } finally {
        handOver()
      }
    },
  }
}
