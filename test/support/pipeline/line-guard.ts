import type { CompletionGuard, FoundCall, Guarded } from '../../../src/core/plugin.ts'
import type { Refusal } from '../../../src/core/ruling.ts'

const NOTHING: Guarded = { out: [], calls: [], lessons: [] }
const encode = (text: string) => new TextEncoder().encode(text)

interface Line {
  readonly text: string
  /** Of a call. */
  readonly id?: number
  verdict: 'open' | 'let go' | Refusal
}

/**
 * A guard for a made-up protocol, so that the pipeline is tested without any real one: each line is text, or a call when
 * it begins with `!`; `?` cannot be read. A refused call becomes `[CODE]`.
 */
export function lineGuard(): CompletionGuard {
  const queue: Line[] = []
  let partial = ''
  let ended = false
  let changed = false
  let gaveUp: 'pass' | 'drop' | undefined
  let nextId = 0

  const release = (): Uint8Array[] => {
    const out: Uint8Array[] = []
    for (let line = queue[0]; line !== undefined && line.verdict !== 'open'; line = queue[0]) {
      queue.shift()
      out.push(encode(line.verdict === 'let go' ? line.text : `[${line.verdict.code}]\n`))
    }
    return out
  }
  const read = (text: string): { calls: FoundCall[]; unreadable?: string } => {
    const calls: FoundCall[] = []
    if (text.startsWith('?')) {
      queue.push({ text, verdict: 'open' })
      return { calls, unreadable: 'a question mark' }
    }
    if (!text.startsWith('!')) {
      queue.push({ text, verdict: 'let go' })
      return { calls }
    }
    const id = nextId++
    const tool = text.slice(1).trim()
    queue.push({ text, id, verdict: 'open' })
    const proposed = { id: undefined, tool, argumentsText: '' }
    calls.push({ id, action: { kind: 'tool-call', tool, args: {}, proposed, effect: 'unknown', home: 'unstated' } })
    return { calls }
  }
  return {
    feed(bytes) {
      const text = new TextDecoder().decode(bytes)
      if (gaveUp !== undefined) return gaveUp === 'pass' ? { ...NOTHING, out: [bytes] } : NOTHING
      const lines = (partial + text).split(/(?<=\n)/)
      partial = lines.at(-1)?.endsWith('\n') === true ? '' : (lines.pop() ?? '')
      const read_ = lines.map(read)
      const unreadable = read_.find((each) => each.unreadable !== undefined)?.unreadable
      return {
        out: release(),
        calls: read_.flatMap((each) => each.calls),
        lessons: [],
        ...(unreadable === undefined ? {} : { unreadable }),
      }
    },
    end(how) {
      ended = true
      partial = ''
      const lesson = { kind: 'completion', text: how, calls: [], usage: undefined } as const
      return { out: release(), calls: [], lessons: [lesson] }
    },
    rule(callId, no) {
      const line = queue.find((each) => each.id === callId)
      if (line === undefined) throw new Error('a ruling on an unknown call')
      line.verdict = no ?? 'let go'
      changed ||= no !== undefined
      return { ...NOTHING, out: release() }
    },
    abandon(no) {
      const held = queue.splice(0).map((line) => encode(line.text))
      gaveUp = no === undefined ? 'pass' : 'drop'
      if (no === undefined) return { ...NOTHING, out: [...held, encode(partial)] }
      changed = true
      return { ...NOTHING, out: [encode(`[end: ${no.code}]\n`)] }
    },
    get heldBytes() {
      const begun = partial.startsWith('!') ? partial.length : 0
      return queue.reduce((sum, line) => sum + line.text.length, begun)
    },
    get keptBytes() {
      return queue.reduce((sum, line) => sum + line.text.length, partial.length)
    },
    get changed() {
      return changed
    },
    get done() {
      return gaveUp === 'drop' || (ended && (gaveUp === 'pass' || queue.length === 0))
    },
    get details() {
      return { form: 'lines', calls: nextId }
    },
  }
}
