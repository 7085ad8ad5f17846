/** One server-sent event. */
export interface SseEvent {
  /** `message` where the stream names none. */
  readonly event: string
  readonly data: string
  readonly id: string | undefined
}

export interface SseReader {
  feed(bytes: Uint8Array): void
  /** The stream is over. An event without its blank line is delivered too: some clients take it. */
  end(): void
  /** An event was longer than the limit and was left out. */
  readonly truncated: boolean
}

const LF = 0x0a
const CR = 0x0d
const BOM = '\ufeff'

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

interface Fields {
  event: string | undefined
  id: string | undefined
  data: string[]
  bytes: number
}

const noFields = (): Fields => ({ event: undefined, id: undefined, data: [], bytes: 0 })

/** Reads an event stream; however its bytes are cut, the events are the same. Lines end in LF, CR LF or CR. */
export function createSseReader(onEvent: (event: SseEvent) => void, maxEventBytes: number): SseReader {
  const line = growing()
  let fields = noFields()
  let skipLf = false
  let firstLine = true
  let tooLong = false
  let truncated = false

  const dispatch = () => {
    if (!tooLong && fields.data.length > 0) {
      onEvent({ event: fields.event ?? 'message', data: fields.data.join('\n'), id: fields.id })
    }
    fields = noFields()
    tooLong = false
  }

  /** Beyond the limit, what belongs to this event is forgotten until the blank line. */
  const overflow = () => {
    tooLong = true
    truncated = true
    fields = noFields()
  }

  const endLine = () => {
    const blank = line.length === 0
    let text = tooLong || blank ? '' : UTF8.decode(line.bytes())
    line.clear()
    if (firstLine && text.startsWith(BOM)) text = text.slice(1)
    const empty = blank || (firstLine && text === '' && !tooLong)
    firstLine = false
    if (empty) dispatch()
    else if (!tooLong) take(fields, text)
  }

  const add = (piece: Uint8Array) => {
    if (piece.length === 0) return
    fields.bytes += piece.length
    if (!tooLong && fields.bytes > maxEventBytes) overflow()
    // One byte is kept of a line that is too long, so that it does not look blank.
    if (!tooLong) line.add(piece)
    else {
      line.clear()
      line.add(piece.subarray(0, 1))
    }
  }

  return {
    feed(bytes) {
      let from = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]
        if (byte !== LF && byte !== CR) {
          skipLf = false
          continue
        }
        if (byte === LF && skipLf) {
          skipLf = false
          from = at + 1
          continue
        }
        add(bytes.subarray(from, at))
        endLine()
        skipLf = byte === CR
        from = at + 1
      }
      add(bytes.subarray(from))
    },
    end() {
      if (line.length > 0) endLine()
      dispatch()
    },
    get truncated() {
      return truncated
    },
  }
}

function take(fields: Fields, line: string): void {
  const colon = line.indexOf(':')
  if (colon === 0) return
  const name = colon === -1 ? line : line.slice(0, colon)
  const rest = colon === -1 ? '' : line.slice(colon + 1)
  const value = rest.startsWith(' ') ? rest.slice(1) : rest
  if (name === 'data') fields.data.push(value)
  else if (name === 'event') fields.event = value === '' ? undefined : value
  else if (name === 'id' && !value.includes('\0')) fields.id = value
}

/** Bytes that come in pieces, in an array that grows by doubling. */
function growing() {
  let held = new Uint8Array(256)
  let length = 0
  return {
    get length() {
      return length
    },
    add(piece: Uint8Array) {
      if (length + piece.length > held.length) {
        const larger = new Uint8Array(Math.max(held.length * 2, length + piece.length))
        larger.set(held.subarray(0, length))
        held = larger
      }
      held.set(piece, length)
      length += piece.length
    },
    bytes: () => held.subarray(0, length),
    clear() {
      length = 0
    },
  }
}
