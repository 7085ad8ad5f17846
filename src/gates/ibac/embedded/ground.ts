import type { Attention } from './attention.ts'
import type { Evidence } from './evidence.ts'
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
  /** The user asked for this kind of effect. */
  readonly asked: boolean
  /** The user spoke of what the tool's name speaks of. */
  readonly named: boolean
}

/** The user handed over to such a text, or asked for just this kind of thing. */
export function isHandedOver({ user, asked }: Ground): boolean {
  return user.delegates || asked
}
