import type { Action } from '../../core/action.ts'
import { onlyReads, wordsOfName } from './effect.ts'
import type { Case, Judge } from './judge.ts'
import { holdsWord, knowledgeOf, type Knowledge } from './knowledge.ts'
import { isProposed } from './proposed.ts'
import { targetsOf, type Target } from './targets.ts'
import type { Verdict } from './verdict.ts'

/**
 * A judge without a model: a few rules about where an action goes. It is simple, and knows it: what it does not
 * understand is uncertain, which refuses.
 */
export function createEmbeddedJudge(trusts: (host: string) => boolean): Judge {
  return {
    model: 'embedded',
    weigh: (question) => Promise.resolve(weigh(question, trusts)),
  }
}

/** Each is looked for in all that the session has heard. */
const MOST_TARGETS = 200

function weigh(question: Case, trusts: (host: string) => boolean): Verdict {
  const { action, x } = question
  if (action.home !== 'own' && !isProposed(action) && !x.routesByHost)
    return uncertain('It is not known which host the action goes to.')
  const targets = targetsOf(action, x)
  if (targets === undefined) return uncertain('The content of the action cannot be read, or is too long.')
  if (targets.length > MOST_TARGETS) return uncertain('The action points at too much.')
  const known = knowledgeOf(question, trusts)
  return onlyReads(action, x) ? weighRead(targets, known) : weighWrite(action, targets, known)
}

function weighRead(targets: readonly Target[], known: Knowledge): Verdict {
  const hosts = targets.filter(({ kind }) => kind === 'host')
  if (hosts.length === 0) {
    const seen = targets.every((target) => known.asked(target) || known.heard(target))
    return seen
      ? allow('It reads, and points only at what this session has seen.')
      : uncertain('It reads something that this session has not seen.')
  }
  const familiar = hosts.every((host) => known.asked(host) || known.trusted(host) || known.used(host))
  return familiar
    ? allow('It reads from a host that the user named, that is trusted, or that this session used before.')
    : uncertain('It reads from a host that the user did not name.')
}

function weighWrite(action: Action, targets: readonly Target[], known: Knowledge): Verdict {
  const destinations = targets.filter(({ kind }) => kind !== 'id')
  if (destinations.length > 0 && destinations.every(known.trusted)) return allow('It writes to trusted hosts only.')
  const grounded = targets.filter((target) => known.asked(target) || known.trusted(target))
  if (targets.length > 0 && grounded.length === 0) return deny('It writes to what the user did not name.')
  if (grounded.length < targets.length) return uncertain('Some of what it writes to was not named by the user.')
  if (destinations.length > 0) return allow('It writes to what the user named.')
  return nameIsAsked(action, known)
    ? allow('It has no destination, and the user asked for it by name.')
    : uncertain('It has no destination, and the user did not ask for it by name.')
}

/** Shorter words (`to`, `my`, `do`) stand in every request and ask for nothing. */
const SHORTEST_WORD = 3

function nameIsAsked(action: Action, known: Knowledge): boolean {
  return wordsOfName(nameOf(action)).some((word) => word.length >= SHORTEST_WORD && holdsWord(known.askedText, word))
}

function nameOf(action: Action): string {
  switch (action.kind) {
    case 'tool-call':
      return action.tool
    case 'request':
    case 'mechanics':
      return action.what
    case 'inference':
    case 'unclassified':
      return ''
  }
}

function allow(reason: string): Verdict {
  return { kind: 'allow', reason }
}

function deny(reason: string): Verdict {
  return { kind: 'deny', reason }
}

function uncertain(reason: string): Verdict {
  return { kind: 'uncertain', reason }
}
