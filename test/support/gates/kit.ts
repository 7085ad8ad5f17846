import type { Action } from '../../../src/core/action.ts'
import type { Body, Exchange, Head } from '../../../src/core/exchange.ts'
import type { Ruling } from '../../../src/core/ruling.ts'
import type { Certainty, Resolution, SessionView } from '../../../src/core/session.ts'
import { exchangeOf, type Given } from '../parsers/exchange.ts'

export interface GateGiven extends Given {
  readonly head?: Partial<Head>
  /** As the gate gets it; by default what `body` says. */
  readonly read?: Body
  readonly session?: Resolution
}

/** An exchange as a gate sees it: with a session, by default that of a user who asked to summarize e-mails. */
export function gateExchange(given: GateGiven = {}): Exchange {
  const { x } = exchangeOf(given)
  return {
    ...x,
    request: { ...x.request, ...given.head },
    body: given.read ?? x.body,
    session: given.session ?? sessions('exact', sessionOf('s-1', ['Summarize my emails'])),
  }
}

export function sessions(certainty: Certainty, ...candidates: readonly SessionView[]): Resolution {
  return { certainty, method: 'test', candidates }
}

export function sessionOf(
  id: string,
  intents: readonly string[],
  more: {
    readonly heard?: readonly string[]
    readonly used?: readonly string[]
    readonly results?: SessionView['results']
    readonly conversation?: SessionView['conversation']
  } = {},
): SessionView {
  return {
    id,
    intents: (turns) => intents.slice(0, turns),
    destinations: new Set(more.used),
    results: more.results ?? { list: [], incomplete: false },
    heard: more.heard ?? [],
    conversation: more.conversation ?? (() => undefined),
  }
}

export const toolCall = (tool: string, args: unknown = {}, more: Partial<Action> = {}): Action =>
  ({ kind: 'tool-call', tool, args, effect: 'unknown', home: 'own', ...more }) as Action

export const plain: Action = { kind: 'unclassified', effect: 'unknown', home: 'unstated' }

/** A ruling in one line: `deny/blocked 403 ibac.blocked`, `skip/path_bypass`. */
export function inShort(ruling: Ruling): string {
  const record = `${ruling.run.action}/${ruling.run.reason}`
  return ruling.allow ? record : `${record} ${ruling.no.status} ${ruling.no.code}`
}
