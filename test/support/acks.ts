import type { AckedEvents } from './events.ts'

/** For a client: acknowledges each event when it has all of it, however the bytes came. */
export function acknowledging(stream: Pick<AckedEvents, 'acknowledge'>, onEvent?: (event: string) => void) {
  let rest = ''
  return (piece: Buffer): void => {
    const events = (rest + piece.toString('latin1')).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      onEvent?.(event)
      stream.acknowledge()
    }
  }
}
