import type { Tool } from '../tool.ts'
import type { Evidence } from './evidence.ts'
import { identifierOf } from './identifier.ts'
import { nameWords, type Leaf } from './leaves.ts'
import { WRITING } from './lexicon/words.ts'
import { saidFor, supportOf, THRESHOLD } from './support.ts'

const MOST_NOTED = 16
const READING: ReadonlySet<string> = new Set(
  'get list search find read fetch lookup view show check query retrieve download describe count'.split(' '),
)
const DESTINATIONS: ReadonlySet<string> = new Set(
  `recipient recipients to cc bcc iban account email mail emails address phone mobile url uri link host domain endpoint
  destination dest target user username payee beneficiary participants attendees channel webhook wallet`.split(/\s+/),
)

/**
 * Where something is to go that only a tool's result names. It is grounded, and nobody has said that it is wanted: what
 * a tool found may have been put there to be used.
 */
export function onlyFromTools(leaves: readonly Leaf[], tool: Tool, evidence: Evidence): readonly Leaf[] {
  if (!evidence.hasResults || !isWriting(tool)) return []
  const isFromTool = (leaf: Leaf): boolean => {
    const identifier = identifierOf(leaf, tool)
    if (identifier === undefined || !isDestination(leaf, identifier.kind)) return false
    const said = saidFor(leaf.value, evidence)
    const withoutResults = said.only(({ from }) => from !== 'tool')
    return (
      supportOf(leaf.value, identifier, withoutResults) < THRESHOLD &&
      supportOf(leaf.value, identifier, said) >= THRESHOLD
    )
  }
  return leaves.slice(0, MOST_LOOKED_AT).filter(isFromTool).slice(0, MOST_NOTED)
}

const MOST_LOOKED_AT = 100

/** A tool whose name begins with a reading verb writes nothing. */
function isWriting({ name }: Tool): boolean {
  const words = nameWords(name)
  return !READING.has(words[0] ?? '') && words.some((word) => WRITING.has(word))
}

function isDestination({ name }: Leaf, kind: string): boolean {
  return kind === 'mail' || kind === 'url' || name.some((word) => DESTINATIONS.has(word))
}
