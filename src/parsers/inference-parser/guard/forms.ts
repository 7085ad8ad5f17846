import { readJsonOnce } from '../../../json/strict.ts'
import type { JsonObject } from '../dialect.ts'
import { dataOf, markLength, newEvent, withData } from './event-lines.ts'
import { createEventSplitter } from './splitter.ts'

/** One event of an answer may be so long. */
export const GUARDED_EVENT_BYTES = 1024 * 1024

/** One thing that goes on, or waits, as a whole. */
export interface Item {
  /** As it came. */
  readonly raw: Uint8Array
  /** What it says in JSON, and how that is written. */
  readonly json: { readonly value: unknown; readonly text: () => string } | undefined
  /** Of the event that it is. Empty where it has none. */
  readonly name: string
  /** What it says, where that is no JSON. Empty where it says nothing. */
  readonly mark: string
}

/** How an answer carries its values. */
export interface Form {
  readonly name: 'json' | 'events' | 'other'
  /** Why the answer cannot be read on, if so: then nothing more is fed. */
  feed(bytes: Uint8Array): string | undefined
  /** The bytes are over and all here. */
  end(): string | undefined
  /** Bytes that are no item yet. Where it cannot be read on: from there. */
  readonly unread: readonly Uint8Array[]
  readonly unreadBytes: number
  /** Forgets them. */
  drop(): void
  /** An item that says something else. `name`: of the event that carries it. */
  edited(raw: Uint8Array, json: string, name: string | undefined): Uint8Array
  /** A further item. */
  added(data: JsonObject | string, name: string | undefined, like: Uint8Array): Uint8Array
}

/** Takes the next item; says why it cannot be read, if so. */
export type OnItem = (item: Item) => string | undefined

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })
const ENCODER = new TextEncoder()

const textOf = (data: JsonObject | string): string => (typeof data === 'string' ? data : JSON.stringify(data))

/** A stream of events whose data is JSON, or a mark that is none. */
export function eventForm(onItem: OnItem): Form {
  let first = true
  function onEvent(raw: Uint8Array): string | undefined {
    const read = dataOf(raw, first ? markLength(raw) : 0)
    first = false
    if (!read.ok) return 'a line that only some clients read'
    const { data, name } = read
    if (data === undefined) return onItem({ raw, json: undefined, name, mark: '' })
    // Some servers cut text between the halves of a pair; calls are looked at when they are whole.
    const json = readJsonOnce(data, 'kept')
    if (json.ok) return onItem({ raw, json: { value: json.value, text: () => UTF8.decode(data) }, name, mark: '' })
    const mark = UTF8.decode(data).trim()
    return mark === '' || mark === DONE ? onItem({ raw, json: undefined, name, mark }) : json.why
  }
  const splitter = createEventSplitter(onEvent, GUARDED_EVENT_BYTES)
  return {
    name: 'events',
    feed: (bytes) => splitter.feed(bytes),
    end: () => splitter.end(),
    get unread() {
      return splitter.unread
    },
    get unreadBytes() {
      return splitter.unreadBytes
    },
    drop: () => splitter.drop(),
    edited: withData,
    added: (data, name, like) => newEvent(textOf(data), name, like),
  }
}

/** The mark with which streams of several dialects end. */
export const DONE = '[DONE]'

/** One JSON value. */
export function jsonForm(onItem: OnItem): Form {
  let pieces: Uint8Array[] = []
  let bytes = 0
  function drop(): void {
    pieces = []
    bytes = 0
  }
  return {
    name: 'json',
    feed(piece) {
      pieces.push(piece)
      bytes += piece.length
      return undefined
    },
    end() {
      const raw = Buffer.concat(pieces)
      const json = readJsonOnce(raw)
      if (!json.ok) return json.why
      const why = onItem({ raw, json: { value: json.value, text: () => UTF8.decode(raw) }, name: '', mark: '' })
      if (why === undefined) drop()
      return why
    },
    get unread() {
      return pieces
    },
    get unreadBytes() {
      return bytes
    },
    drop,
    edited: (_, json) => ENCODER.encode(json),
    added: (data) => ENCODER.encode(textOf(data)),
  }
}

/** What cannot be read at all, and why. */
export function otherForm(why: string): Form {
  const form = jsonForm(() => undefined)
  return {
    name: 'other',
    feed(piece) {
      form.feed(piece)
      return why
    },
    end: () => undefined,
    get unread() {
      return form.unread
    },
    get unreadBytes() {
      return form.unreadBytes
    },
    drop: () => form.drop(),
    edited: (raw, json, name) => form.edited(raw, json, name),
    added: (data, name, like) => form.added(data, name, like),
  }
}
