import type { Attention } from './attention.ts'
import type { Evidence } from './evidence.ts'
import type { Level } from './sentences.ts'
import type { UserFacts } from './user.ts'

/** What a judgement looks at beside the action: the user, what the operator gave the agent, and what tools have said. */
export interface Ground {
  readonly user: UserFacts
  /** In lower case. */
  readonly system: string
  readonly systemStems: ReadonlySet<string>
  /** The specification of the tool that is called, in lower case. */
  readonly spec: string
  readonly trusts: (host: string) => boolean
  readonly evidence: Evidence
  readonly attention: Attention
  /** Something was not seen: what stands nowhere may have stood there. */
  readonly incomplete: boolean
  /** The action only looks at something, wherever that is. */
  readonly looks: boolean
  /** The user asked for this kind of effect. */
  readonly asked: boolean
  /** The user spoke of what the tool's name speaks of. */
  readonly named: boolean
}

/** The user handed over to such a text, or asked for just this kind of thing. */
export function isHandedOver({ user, asked }: Ground): boolean {
  return user.delegates || asked
}

/** The user handed over to such a text, or asked for this with what it says. */
export function mayBeTold({ user, asked, named }: Ground): boolean {
  return user.delegates || user.delegatesValues || (asked && named)
}

/** Its record is, or its result is as a whole: where the user points at some of the records, the others are not meant. */
export function isPointedAt(
  { record, result }: { readonly record: number; readonly result: number },
  { attention }: Ground,
): boolean {
  const { records, results, resultsOfRecords } = attention
  return records.has(record) || (results.has(result) && !resultsOfRecords.has(result))
}

/** How much a sentence tells somebody to act, to this user: a language that he speaks himself says nothing. */
export function levelTo(level: Level, { user }: Ground): Level {
  return level === UNREAD && user.isForeign ? 0 : level
}

const UNREAD: Level = 0.75
