import type { Case } from './judge.ts'
import { targetsIn, type Target } from './targets.ts'

/** What speaks for a target of an action. */
export interface Knowledge {
  /** What the user asked, in lower case. */
  readonly askedText: string
  /** It stands in the user's own words. */
  readonly asked: (target: Target) => boolean
  /** The operator trusts its host. */
  readonly trusted: (target: Target) => boolean
  /** This session went to this host before. */
  readonly used: (target: Target) => boolean
  /** It stands in something that this session has read. */
  readonly heard: (target: Target) => boolean
}

export function knowledgeOf(question: Case, trusts: (host: string) => boolean): Knowledge {
  const { x, session, intents } = question
  const askedText = intents.join('\n').toLowerCase()
  const asked = new Set(targetsIn(askedText).map(keyOf))
  let heard: readonly string[] | undefined
  return {
    askedText,
    asked: (target) => asked.has(keyOf(target)),
    // Trust in a host is worth nothing where the Host header is only a word.
    trusted: ({ kind, name }) => kind !== 'id' && x.routesByHost && trusts(name.slice(name.lastIndexOf('@') + 1)),
    used: ({ kind, name }) => kind === 'host' && x.routesByHost && session.destinations.has(name),
    heard: ({ name }) => {
      heard ??= session.heard.map((text) => text.toLowerCase())
      return heard.some((text) => holdsWord(text, name))
    },
  }
}

function keyOf(target: Target): string {
  return `${target.kind} ${target.name}`
}

const LETTER = /[\p{L}\p{N}]/u

/** Whether a word stands in a text on its own, not inside a longer one. */
export function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!LETTER.test(text[at - 1] ?? ' ') && !LETTER.test(text[at + word.length] ?? ' ')) return true
  }
  return false
}
