import type { Reading } from '../../core/plugin.ts'
import type { Conversation } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import type { Hearing } from '../kit/lesson-reader.ts'

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
}

/** One way to speak with a model. A new one is one new file and one line in `dialects.ts`. */
export interface Dialect {
  readonly name: string
  /** Whether this path is the dialect's on any host. In lower case, without a slash at the end. */
  ownsPath(path: string): boolean
  /** Whether these members, folded, are the dialect's and nobody else's. */
  shows(members: ReadonlySet<string>): boolean
  /** The members of a request that are read. One that only looks like one of them makes the request unreadable. */
  readonly members: ReadonlySet<string>
  read(body: JsonObject): InferenceRequest
  /** Puts an answer together, whole or in events. Absent where answers are not read. */
  readonly openCompletion?: () => Hearing
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
