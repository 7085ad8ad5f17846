import type { Exchange } from '../../core/exchange.ts'
import { mediaType } from '../../http/media.ts'
import { createSseReader, type SseReader } from '../../http/sse.ts'
import { readJson } from '../../json/strict.ts'

/** One event of an answer may be so long; a longer one is left out. */
export const EVENT_BYTES = 4 * 1024 * 1024

export interface AnswerListener {
  /** The answer is one JSON value. */
  json?(value: unknown): void
  /** The answer is an event stream: each event as it comes. */
  event?(data: string, event: string): void
}

/** What a collector saw, for the record. */
export interface Collected {
  readonly form: 'json' | 'events' | 'other'
  /** Why not all of it was understood. */
  readonly unread?: string
}

export interface AnswerCollector {
  feed(bytes: Uint8Array): void
  end(how: 'complete' | 'cut'): Collected
}

/**
 * Reads an answer as JSON or as an event stream, by what its first bytes are: servers and clients do not agree on what
 * the content type decides. How much is held is bounded by whoever feeds.
 */
export function collectAnswer(x: Exchange, on: AnswerListener): AnswerCollector {
  let reader: FormReader | undefined
  return {
    feed(bytes) {
      const form = reader === undefined ? formStarting(x, bytes) : undefined
      if (form !== undefined) reader = readerOf(form, on)
      reader?.feed(bytes)
    },
    end: (how) => reader?.end(how) ?? { form: 'other' },
  }
}

type FormReader = AnswerCollector

const JSON_STARTS = new Set([...'{['].map((sign) => sign.charCodeAt(0)))
/** Of `data`, `event`, `id`, `retry`, or of a comment. */
const EVENT_STARTS = new Set([...'deir:'].map((sign) => sign.charCodeAt(0)))

/** By one byte, since more may not be here yet. Undefined while there is nothing but white space. */
export function formStarting(x: Exchange, bytes: Uint8Array): Collected['form'] | undefined {
  const first = bytes.find((byte) => byte > 0x20)
  if (first === undefined) return undefined
  if (JSON_STARTS.has(first)) return 'json'
  return saysEvents(x) || EVENT_STARTS.has(first) ? 'events' : 'other'
}

export function saysEvents(x: Exchange): boolean {
  const media = x.answer === undefined ? undefined : mediaType(x.answer.headers)
  return typeof media === 'object' && media.essence === 'text/event-stream'
}

function readerOf(form: Collected['form'], on: AnswerListener): FormReader {
  if (form === 'other') return otherForm()
  return form === 'json' ? jsonForm(on) : eventForm(on)
}

function jsonForm(on: AnswerListener): FormReader {
  const pieces: Uint8Array[] = []
  return {
    feed: (bytes) => void pieces.push(bytes),
    end(how) {
      if (how === 'cut') return { form: 'json', unread: 'cut' }
      const read = readJson(Buffer.concat(pieces))
      if (!read.ok) return { form: 'json', unread: read.why }
      on.json?.(read.value)
      return { form: 'json' }
    },
  }
}

function eventForm(on: AnswerListener): FormReader {
  const reader: SseReader = createSseReader((event) => on.event?.(event.data, event.event), EVENT_BYTES)
  return {
    feed: (bytes) => reader.feed(bytes),
    end(how) {
      // The last event of a stream that was cut may be half of one.
      if (how === 'complete') reader.end()
      if (reader.truncated) return { form: 'events', unread: 'an event was too long' }
      return how === 'cut' ? { form: 'events', unread: 'cut' } : { form: 'events' }
    },
  }
}

function otherForm(): FormReader {
  return { feed: () => undefined, end: () => ({ form: 'other', unread: 'neither JSON nor events' }) }
}
