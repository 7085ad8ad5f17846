import type { Answerer } from './upstream.ts'

/** An event stream whose next event is only sent when the client has acknowledged the one before. */
export interface AckedEvents {
  readonly answer: Answerer
  /** The client has the event: send the next one. */
  acknowledge(): void
}

export function ackedEvents(events: readonly string[]): AckedEvents {
  let wake: (() => void) | undefined
  let acknowledged = 0
  const acknowledgement = (count: number) =>
    new Promise<void>((done) => {
      wake = () => {
        if (acknowledged >= count) done()
      }
      wake()
    })
  return {
    answer: async (_arrival, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const [sent, event] of events.entries()) {
        await acknowledgement(sent)
        outgoing.write(event)
      }
      await acknowledgement(events.length)
      outgoing.end()
    },
    acknowledge: () => {
      acknowledged += 1
      wake?.()
    },
  }
}
