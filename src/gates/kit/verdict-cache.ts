export interface VerdictCacheOptions<V> {
  /** How long a verdict is kept. 0: every question is asked. */
  readonly ttlMs: number
  /** Which verdicts may be kept. A failure is given to those who wait for it and to nobody after them. */
  readonly keeps: (verdict: V) => boolean
  readonly now: () => number
}

export type Asked<V> =
  /** `cached`: a verdict that is kept, and nothing was asked for it here. */
  | { readonly kind: 'verdict'; readonly verdict: V; readonly cached: boolean }
  /** The caller's signal ended first. */
  | { readonly kind: 'left' }

export interface VerdictCache<V> {
  /** What is kept, without asking and without waiting. */
  recall(key: string): V | undefined
  /**
   * The verdict on the question that `key` stands for. Equal questions that are asked at once are asked once: the one
   * question lives as long as anybody waits for it. Nobody joins a question that somebody gave up on: it may never be
   * answered, and as long as others kept joining it, nobody would ask anew. Rejects only where `question` does.
   */
  ask(key: string, question: (signal: AbortSignal) => Promise<V>, signal: AbortSignal): Promise<Asked<V>>
}

/** Verdicts that are kept at once; beyond it the one that was used longest ago goes. */
const CACHE_ENTRIES = 1024

interface Kept<V> {
  readonly verdict: V
  readonly untilMs: number
}

/** A question that is being asked, and how many wait for it. */
interface Flight<V> {
  readonly controller: AbortController
  readonly verdict: Promise<V>
  waiting: number
  landed: boolean
}

export function createVerdictCache<V>(options: VerdictCacheOptions<V>): VerdictCache<V> {
  if (options.ttlMs === 0) {
    return {
      recall: () => undefined,
      ask: async (_key, question, signal) => asked(await question(signal), false),
    }
  }
  const kept = new Map<string, Kept<V>>()
  const flights = new Map<string, Flight<V>>()

  const recall = (key: string): V | undefined => {
    const found = kept.get(key)
    if (found === undefined) return undefined
    kept.delete(key)
    if (found.untilMs <= options.now()) return undefined
    // Written anew, so that the map's order is that of the last use.
    kept.set(key, found)
    return found.verdict
  }

  const keep = (key: string, verdict: V): void => {
    kept.delete(key)
    kept.set(key, { verdict, untilMs: options.now() + options.ttlMs })
    for (const unusedLongest of kept.keys()) {
      if (kept.size <= CACHE_ENTRIES) return
      kept.delete(unusedLongest)
    }
  }

  /** Whoever asks now starts anew. */
  const close = (key: string, flight: Flight<V>): void => {
    if (flights.get(key) === flight) flights.delete(key)
  }

  const start = (key: string, question: (signal: AbortSignal) => Promise<V>): Flight<V> => {
    const controller = new AbortController()
    const flight: Flight<V> = {
      controller,
      verdict: settle(question, controller.signal),
      waiting: 0,
      landed: false,
    }
    flights.set(key, flight)
    const land = (): void => {
      flight.landed = true
      close(key, flight)
    }
    flight.verdict.then((verdict) => {
      land()
      if (!controller.signal.aborted && options.keeps(verdict)) keep(key, verdict)
    }, land)
    return flight
  }

  const leave = (key: string, flight: Flight<V>): void => {
    flight.waiting -= 1
    if (flight.landed) return
    close(key, flight)
    if (flight.waiting === 0) flight.controller.abort('nobody waits')
  }

  return {
    recall,
    ask: async (key, question, signal) => {
      const known = recall(key)
      if (known !== undefined) return asked(known, true)
      if (signal.aborted) return { kind: 'left' }
      const joined = flights.get(key)
      const flight = joined ?? start(key, question)
      flight.waiting += 1
      try {
        const verdict = await orLeft(flight.verdict, signal)
        if (verdict === LEFT) return { kind: 'left' }
        return asked(verdict, joined !== undefined && options.keeps(verdict))
      } finally {
        leave(key, flight)
      }
    },
  }
}

function asked<V>(verdict: V, cached: boolean): Asked<V> {
  return { kind: 'verdict', verdict, cached }
}

/** A question that throws at once is one that fails. */
async function settle<V>(question: (signal: AbortSignal) => Promise<V>, signal: AbortSignal): Promise<V> {
  return question(signal)
}

const LEFT = Symbol('the caller left')

function orLeft<V>(work: Promise<V>, signal: AbortSignal): Promise<V | typeof LEFT> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      resolve(LEFT)
    }
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', leave)
    })
  })
}
