import type { FoundCall } from '../../../core/plugin.ts'
import type { Refusal } from '../../../core/ruling.ts'
import { readJsonOnce } from '../../../json/strict.ts'
import type { CallSoFar, Heard, Part } from './calls.ts'
import type { Item } from './forms.ts'

/** Calls that are heard at the same time. They go on together, so that none is ever cut short. */
interface Knot {
  /** Not complete yet. */
  readonly open: Set<Part>
  /** Not ruled on yet, complete or not. */
  waiting: number
}

interface Waiting {
  readonly item: Item
  readonly knot: Knot | undefined
}

/** Keeps items in their order, and those with undecided calls back. */
export interface Queue {
  /** What was heard in the item. Returns the calls that are complete with it. */
  add(item: Item, heard: Exclude<Heard, { unreadable: string }>): readonly FoundCall[]
  /** These are complete although no item said so. */
  complete(parts: readonly Part[]): readonly FoundCall[]
  rule(callId: number, no: Refusal | undefined): void
  /** What is not complete never will be. */
  lose(): void
  /** The next item that may go on. */
  next(): Item | undefined
  /** The next item, whether it may go on or not. */
  force(): Item | undefined
  readonly bytes: number
}

export function createQueue(): Queue {
  let items: Waiting[] = []
  let head = 0
  let bytes = 0
  let found = 0
  /** The one that grows. */
  let current: Knot | undefined
  const known = new WeakSet<Part>()
  const asked = new Map<number, { readonly part: Part; readonly knot: Knot }>()

  function complete(parts: readonly Part[]): readonly FoundCall[] {
    const knot = current
    if (knot === undefined) return []
    const calls = parts.map((part) => {
      knot.open.delete(part)
      const id = found++
      asked.set(id, { part, knot })
      return { id, action: actionOf(part.call) }
    })
    if (knot.open.size === 0) current = undefined
    return calls
  }

  function take(): Item | undefined {
    const next = items[head]
    if (next === undefined) return undefined
    head += 1
    bytes -= next.item.raw.length
    if (head === items.length) {
      items = []
      head = 0
    }
    return next.item
  }

  return {
    add(item, heard) {
      if (heard.parts.length > 0) current ??= { open: new Set(), waiting: 0 }
      for (const part of heard.parts) {
        if (current === undefined || known.has(part)) continue
        known.add(part)
        current.open.add(part)
        current.waiting += 1
      }
      items.push({ item, knot: current })
      bytes += item.raw.length
      return complete(heard.complete)
    },
    complete,
    rule(callId, no) {
      const ask = asked.get(callId)
      if (ask === undefined) return
      asked.delete(callId)
      ask.part.fate = no === undefined ? 'kept' : 'taken'
      ask.part.no = no
      ask.knot.waiting -= 1
    },
    lose() {
      if (current === undefined) return
      for (const part of current.open) part.fate = 'lost'
      current.waiting -= current.open.size
      current.open.clear()
      current = undefined
    },
    next() {
      const knot = items[head]?.knot
      return knot !== undefined && (knot.open.size > 0 || knot.waiting > 0) ? undefined : take()
    },
    force: take,
    get bytes() {
      return bytes
    },
  }
}

/** The call as a gate sees it. */
function actionOf({ id, tool, argumentsText, freeText }: CallSoFar): FoundCall['action'] {
  const args = freeText ? argumentsText : argumentsOf(argumentsText)
  const proposed = { id, tool, argumentsText }
  return { kind: 'tool-call', tool, args, proposed, effect: 'unknown', home: 'unstated' }
}

const ENCODER = new TextEncoder()

/** Text that is no JSON for every reader alike is what the tool is given. */
function argumentsOf(text: string): unknown {
  if (text.trim() === '') return {}
  const json = readJsonOnce(ENCODER.encode(text))
  return json.ok ? json.value : text
}
