import { setMaxListeners } from 'node:events'

/** A clock that starts now and also ends when an outer signal does. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Must be called when the work is decided: ends what still runs, takes back the timer and the listener. */
  end(): void
}

export function startDeadline(ms: number, outer: AbortSignal): Deadline {
  const controller = new AbortController()
  // Several questions run under one deadline, each with listeners of its own.
  setMaxListeners(0, controller.signal)
  const end = (): void => {
    clearTimeout(timer)
    outer.removeEventListener('abort', end)
    // Without a reason each end would make an exception with a stack, also where nothing runs any more.
    controller.abort('over')
  }
  const timer = setTimeout(end, ms)
  outer.addEventListener('abort', end, { once: true })
  if (outer.aborted) end()
  return { signal: controller.signal, end }
}
