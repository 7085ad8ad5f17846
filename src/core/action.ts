import type { ProposedCall } from './session.ts'

/** What could change in the world. `unknown` is never treated as weaker than `write`. */
export type Effect = 'read' | 'write' | 'unknown'

/**
 * Whether the message goes where its protocol is at home, which is where skips hold: `own` = a host that the
 * claiming parser was configured with, `foreign` = it has hosts and this is none of them, `unstated` = it has none,
 * or the Host header does not decide where bytes go.
 */
export type Home = 'own' | 'foreign' | 'unstated'

/** What the traffic would do, in words that no protocol owns. */
export type Action = { readonly effect: Effect; readonly home: Home } & (
  | {
      readonly kind: 'tool-call'
      readonly tool: string
      /** What the tool is given. Of a proposed call whose arguments are no JSON: their text. */
      readonly args: unknown
      /** The call stands in a completion that the agent has not seen yet. Absent: it is on its way to the tool. */
      readonly proposed?: ProposedCall
    }
  /** Anything else that acts: a resource read, an unknown method, a message to another agent. */
  | { readonly kind: 'request'; readonly what: string; readonly args: unknown }
  | {
      readonly kind: 'inference'
      readonly model: string
      readonly firstUserText: string
      /** What goes along with the conversation, where the peer may be no model: it could be all that the peer reads. */
      readonly beside?: Readonly<Record<string, unknown>>
    }
  /** Housekeeping of the protocol, whose parameters fit that method's closed schema. */
  | { readonly kind: 'mechanics'; readonly what: string }
  /** No parser claimed the message. */
  | { readonly kind: 'unclassified' }
)
