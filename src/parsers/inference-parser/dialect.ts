import type { Home } from '../../core/action.ts'
import type { HeaderView } from '../../core/exchange.ts'
import type { Reading } from '../../core/plugin.ts'
import type { Conversation } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import type { Hearing } from '../kit/lesson-reader.ts'
import type { CallReader } from './guard/calls.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** What a request asks of a model, in words that no vendor owns. */
export interface InferenceRequest {
  /** Empty where the request does not name one. */
  readonly model: string
  readonly firstUserText: string
  /** What the conversation holds, where the dialect is read that far. */
  readonly conversation: Conversation | undefined
  /** What its answer may propose, as a reading says it. */
  readonly proposes?: Reading['proposes']
  /** The model is asked about the request, and says nothing to it: housekeeping on hosts that serve models. */
  readonly housekeeping?: string
}

/** What tells whose dialect a request is in, before it is read. */
export interface Sight {
  /** As the most forgiving server takes it: in lower case, without a slash at the end. */
  readonly path: string
  readonly home: Home
  /** The members of its body, folded, as any reader might see them. */
  readonly members: ReadonlySet<string>
}

/** One way to speak with a model. A new one is one new file and one line in `dialects.ts`. */
export interface Dialect {
  readonly name: string
  /** Its path says so, on any host: the request is this dialect's whatever it holds. */
  claims(sight: Sight): boolean
  /** Whether these members could be this dialect's. */
  shows(members: ReadonlySet<string>): boolean
  /** Of the dialects that such members could be in, whether it is this one. Absent: it is unless one before it is. */
  readonly fits?: (body: JsonObject, headers: HeaderView) => boolean
  /** The members of a request that are read. One that only looks like one of them makes the request unreadable. */
  readonly members: ReadonlySet<string>
  read(body: JsonObject): InferenceRequest
  /** Puts an answer together, whole or in events. Absent where answers are not read. */
  readonly openCompletion?: () => Hearing
  /**
   * Finds the calls in an answer, and takes them out. `model`: what the request named. Absent where answers cannot be
   * guarded; then no request is `readable` in what it proposes.
   */
  readonly openCalls?: (model: string) => CallReader
}

/**
 * Whether a request stands on a path that servers of other protocols have too: with the dialect's own member, or where
 * nothing but models is served.
 */
export function standsAt({ path, home, members }: Sight, end: string, member: string): boolean {
  return path.endsWith(end) && (members.has(member) || (home === 'own' && !members.has('jsonrpc')))
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  return listIn(value).filter(isObject)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function indexOf(value: JsonObject): number | undefined {
  const index = value['index']
  return Number.isSafeInteger(index) ? (index as number) : undefined
}
