import { hash } from 'node:crypto'
import type { Lesson, SeenResult, SeenResults } from '../core/session.ts'
import { canonicalArguments, canonicalText } from './canonical.ts'
import { copy } from './clip.ts'
import { LIMITS } from './limits.ts'
import { isName } from './proposals.ts'
import { valuesIn } from './shared-parts.ts'
import { sightsIn, type Sight } from './shown-results.ts'
import type { Total } from './total.ts'

interface Kept {
  readonly result: SeenResult
  readonly sight: Pick<Sight, 'tool' | 'args'>
  readonly head: string
  /** Of the whole text, also where it was cut. */
  readonly digest: string
  readonly bytes: number
  readonly callIds: string[]
}

/** Of texts that begin with the same characters one may begin with the other; no other two can. */
const HEAD_CHARS = 64
const CALL_ID_CHARS = 256
const CALL_IDS = 8

/**
 * What the tools of a session answered, each answer once: agents repeat all results in each question to their model, and
 * what came from a tool's server comes back as a message to the model.
 */
export class Results implements SeenResults {
  incomplete = false
  /** As gates have it; another one when the oldest are forgotten. */
  #list: SeenResult[] = []
  #kept: Kept[] = []
  #bytes = 0
  readonly #byHead = new Map<string, Kept[]>()
  readonly #byCallId = new Map<string, Kept>()
  readonly #forgotten = new Set<string>()
  readonly #total: Total

  constructor(total: Total) {
    this.#total = total
  }

  get list(): readonly SeenResult[] {
    return this.#list
  }

  /** Something was answered that is not here. */
  miss(): void {
    this.incomplete = true
  }

  /** `maxBytes`: how much a gate wants; undefined when nobody looks. Returns whether there are new ones. */
  learn(lessons: readonly Lesson[], host: string | undefined, maxBytes: number | undefined): boolean {
    // Where nobody asks for results, an answer that no parser wants is not even read.
    if (maxBytes === undefined) {
      this.miss()
      return false
    }
    let news = false
    for (const lesson of lessons) {
      if (lesson.kind === 'unseen-result') this.miss()
      for (const sight of sightsIn(lesson, host)) news = this.#see(sight, maxBytes) || news
    }
    if (!news) return false
    if (this.#bytes > maxBytes) this.#forget(this.#bytes - Math.floor(maxBytes * ROOM_LEFT_FULL))
    this.#total.enter(this, () => {
      this.#giveWay()
    })
    this.#total.trim()
    return this.#list.length > 0
  }

  /** The session is over: its results no longer count. Who still looks at them may go on. */
  release(): void {
    this.#count(-this.#bytes)
    this.#total.leave(this)
  }

  #see(sight: Sight, maxBytes: number): boolean {
    if (sight.cut === true) this.miss()
    if (sight.text === '') return false
    const known = this.#find(sight)
    if (known !== undefined) {
      this.#nameCall(known, sight.callId)
      return false
    }
    const digest = hash('sha256', sight.text, 'base64url')
    if (this.#forgotten.has(digest)) return false
    this.#keep(keptOf(sight, digest, maxBytes), sight.callId)
    return true
  }

  #find(sight: Sight): Kept | undefined {
    const named = sight.callId === undefined ? undefined : this.#byCallId.get(sight.callId)
    if (named !== undefined && isOfSameTool(named, sight) && covers(named, sight.text)) return named
    const alike = this.#byHead.get(headOf(sight.text)) ?? []
    return alike
      .slice(-LIMITS.resultsAlike)
      .find((kept) => isOfSameTool(kept, sight) && covers(kept, sight.text) && hasSameArguments(kept, sight))
  }

  #keep(kept: Kept, callId: string | undefined): void {
    if (kept.result.cut) this.miss()
    this.#kept.push(kept)
    this.#list.push(kept.result)
    const alike = this.#byHead.get(kept.head)
    if (alike === undefined) this.#byHead.set(kept.head, [kept])
    else alike.push(kept)
    this.#nameCall(kept, callId)
    this.#count(kept.bytes)
  }

  #nameCall(kept: Kept, callId: string | undefined): void {
    if (callId === undefined || callId.length > CALL_ID_CHARS || kept.callIds.length >= CALL_IDS) return
    if (this.#byCallId.has(callId)) return
    this.#byCallId.set(callId, kept)
    kept.callIds.push(callId)
  }

  /** All sessions hold too much, and this one's newest result is the oldest. */
  #giveWay(): void {
    this.#forget(Math.ceil(this.#bytes * GIVEN_AT_ONCE))
    if (this.#list.length === 0) this.#total.leave(this)
  }

  /** So many bytes of the oldest, at least. */
  #forget(bytes: number): void {
    let freed = 0
    let count = 0
    for (const kept of this.#kept) {
      if (freed >= bytes) break
      freed += kept.bytes
      count += 1
      this.#unlink(kept)
    }
    this.#kept = this.#kept.slice(count)
    this.#list = this.#list.slice(count)
    this.#count(-freed)
    this.miss()
  }

  #unlink(kept: Kept): void {
    for (const callId of kept.callIds) this.#byCallId.delete(callId)
    const alike = this.#byHead.get(kept.head)
    // The oldest of all is the oldest of those too.
    alike?.shift()
    if (alike?.length === 0) this.#byHead.delete(kept.head)
    this.#forgotten.add(kept.digest)
    for (const oldest of this.#forgotten) {
      if (this.#forgotten.size <= LIMITS.forgottenResults) break
      this.#forgotten.delete(oldest)
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#total.held += bytes
  }
}

/** Not only as much as has to go: gates that keep an index have to make it anew. */
const ROOM_LEFT_FULL = 3 / 4
const GIVEN_AT_ONCE = 1 / 4

/** Of all that a session may keep: no one answer pushes out all others. */
const TEXT_SHARE = 1 / 2
const ARGUMENTS_SHARE = 1 / 8

function keptOf(sight: Sight, digest: string, maxBytes: number): Kept {
  const tool = copy(sight.tool.slice(0, LIMITS.resultToolChars))
  const text = beginningOf(sight.text, Math.floor(maxBytes * TEXT_SHARE))
  const given = argumentsOf(sight.args)
  const argsBytes = bytesOf(given)
  const fits = argsBytes <= maxBytes * ARGUMENTS_SHARE
  const result: SeenResult = {
    tool,
    args: fits ? given : undefined,
    text,
    ...(sight.host === undefined || sight.host === '' ? {} : { host: sight.host }),
    cut: sight.cut === true || text.length < sight.text.length,
  }
  return {
    result,
    sight: { tool, args: fits && sight.args !== undefined ? { value: given } : undefined },
    head: headOf(text),
    digest,
    bytes: LIMITS.resultBytes + Buffer.byteLength(text) + Buffer.byteLength(tool) + (fits ? argsBytes : 0),
    callIds: [],
  }
}

const headOf = (text: string): string => text.slice(0, HEAD_CHARS)

/** At most so many bytes of UTF-8, no character of which is cut. */
function beginningOf(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  return copy(text.slice(0, read))
}

function isOfSameTool({ sight }: Kept, { tool }: Sight): boolean {
  const known = sight.tool
  return known === '' || tool === '' || isName(tool, known) || isName(known, tool)
}

/** Whether nothing stands in the text that does not stand in what is kept. */
function covers({ result }: Kept, text: string): boolean {
  return result.text.startsWith(text) || (result.cut && text.startsWith(result.text))
}

function hasSameArguments({ sight }: Kept, { args }: Sight): boolean {
  const known = canonical(sight.args)
  const seen = canonical(args)
  return known === undefined || seen === undefined || known === seen
}

function canonical(args: Sight['args']): string | undefined {
  if (args === undefined) return undefined
  return 'text' in args ? canonicalText(args.text) : canonicalArguments(args.value)
}

/** What a model wrote as arguments may be no JSON; then it is its text. */
function argumentsOf(args: Sight['args']): unknown {
  if (args === undefined || 'value' in args) return args?.value
  if (args.text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(args.text)
    return isDeeperThan(LIMITS.argumentsDepth, value) ? args.text : value
  } catch {
    return args.text
  }
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((each) => isDeeperThan(depth - 1, each))
}

function bytesOf(args: unknown): number {
  if (args === undefined) return 0
  return Buffer.byteLength(JSON.stringify(args)) + valuesIn(args) * LIMITS.valueChars
}
