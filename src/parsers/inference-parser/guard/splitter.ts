const LF = 0x0a
const CR = 0x0d

/** Takes one event with its blank line; says why it cannot be read, if so. */
export type OnEvent = (raw: Uint8Array) => string | undefined

export interface EventSplitter {
  /** Why the stream cannot be read on, if so: then nothing more is fed, and `unread` begins where reading stopped. */
  feed(bytes: Uint8Array): string | undefined
  /** The stream is over: an event without its blank line is one for some clients. */
  end(): string | undefined
  /** Bytes that belong to no event yet. */
  readonly unread: readonly Uint8Array[]
  readonly unreadBytes: number
  /** Forgets them. */
  drop(): void
}

/**
 * Cuts a stream into its events, which keep their bytes. However the stream comes in pieces, the events are the same, and
 * the work is linear in the bytes. A carriage return without a line feed ends a line for some readers and not for others.
 */
export function createEventSplitter(onEvent: OnEvent, maxEventBytes: number): EventSplitter {
  let pieces: Uint8Array[] = []
  let pieceBytes = 0
  /** Of the line that has not ended. */
  let lineBytes = 0
  let endsInCr = false

  function drop(): void {
    pieces = []
    pieceBytes = 0
  }

  function keep(piece: Uint8Array): void {
    if (piece.length === 0) return
    pieces.push(piece)
    pieceBytes += piece.length
  }

  function takeEvent(last: Uint8Array): string | undefined {
    const raw = pieces.length === 0 ? last : Buffer.concat([...pieces, last])
    drop()
    const why = raw.length > maxEventBytes ? TOO_LONG : onEvent(raw)
    if (why !== undefined) keep(raw)
    return why
  }

  return {
    feed(bytes) {
      /** Of the event, and of the line, that are being read. */
      let begin = 0
      let from = 0
      const stop = (why: string): string => {
        keep(bytes.subarray(begin))
        return why
      }
      let cr = after(bytes, CR, 0)
      for (let lf = after(bytes, LF, 0); lf < bytes.length; lf = after(bytes, LF, from)) {
        if (cr < lf - 1 || (endsInCr && lf > from)) return stop(LONE_CR)
        const length = lineBytes + lf - from - (cr === lf - 1 || endsInCr ? 1 : 0)
        from = lf + 1
        lineBytes = 0
        endsInCr = false
        if (cr < from) cr = after(bytes, CR, from)
        if (length > 0) continue
        const event = bytes.subarray(begin, from)
        begin = from
        const why = takeEvent(event)
        if (why !== undefined) return stop(why)
      }
      const rest = bytes.length - from
      if (cr < bytes.length - 1 || (endsInCr && rest > 0)) return stop(LONE_CR)
      lineBytes += rest
      if (rest > 0) endsInCr = cr === bytes.length - 1
      keep(bytes.subarray(begin))
      return pieceBytes > maxEventBytes ? TOO_LONG : undefined
    },
    end() {
      if (endsInCr) return LONE_CR
      return pieceBytes === 0 ? undefined : takeEvent(new Uint8Array())
    },
    get unread() {
      return pieces
    },
    get unreadBytes() {
      return pieceBytes
    },
    drop,
  }
}

const LONE_CR = 'a carriage return alone'
const TOO_LONG = 'an event is too long'

/** Where the byte stands next; the length where it does not. */
function after(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from)
  return at === -1 ? bytes.length : at
}
