import { isForeign, namesMachine } from './foreign.ts'
import {
  AGENT_DIRECTED,
  DEONTIC,
  MACHINE,
  MACHINE_VOICE,
  OVERRIDES,
  SLIPPED_IN,
  PSEUDO_TAG,
  REQUEST,
  ZONE_END,
} from './patterns.ts'
import { IMPERATIVES, LEAD_INS, NOUN_LIKE } from './words.ts'

/**
 * How much a sentence tells somebody to act: 2 it speaks to the agent, or stands beside one that does; 1 it asks; 0.75 it
 * may ask, in a language that these rules do not read; 0.5 it stands beside one that asks; 0 it states.
 */
export type Level = 0 | 0.5 | 0.75 | 1 | 2

export interface Sentence {
  readonly text: string
  /** Where it stands in its leaf. */
  readonly from: number
  readonly to: number
  readonly paragraph: number
  level: Level
}

const FEWEST_WORDS = 3
const ZONE_SENTENCES = 3
const MOST_LEAD_INS = 3
const CUT = /(?<=[.!?;])\s+|\n+/g
const PARAGRAPH = /\n[ \t]*\n/

/** The sentences of a leaf, each with its level. A leaf of one or two words tells nobody anything. */
export function sentencesOf(text: string): readonly Sentence[] {
  const sentences = split(text)
  if (text.trim().split(/\s+/, FEWEST_WORDS).length < FEWEST_WORDS) return sentences
  for (const sentence of sentences) sentence.level = ownLevel(sentence.text)
  spreadZones(sentences)
  softenNeighbours(sentences)
  return sentences
}

function split(text: string): Sentence[] {
  const sentences: Sentence[] = []
  let from = 0
  let paragraph = 0
  const add = (to: number) => {
    const piece = text.slice(from, to)
    if (piece.trim() !== '') sentences.push({ text: piece, from, to, paragraph, level: 0 })
  }
  for (const cut of text.matchAll(CUT)) {
    add(cut.index)
    from = cut.index + cut[0].length
    if (PARAGRAPH.test(cut[0])) paragraph += 1
  }
  add(text.length)
  return sentences
}

function ownLevel(text: string): Level {
  if (AGENT_DIRECTED.test(text) || OVERRIDES.test(text) || MACHINE_VOICE.test(text)) return 2
  const asking = text.replace(HANDS_OVER, 'here is')
  const asks = REQUEST.test(asking) || opensWithImperative(asking)
  if (MACHINE.test(text)) return asks || DEONTIC.test(text) || SLIPPED_IN.test(text) ? 2 : 1
  if (SLIPPED_IN.test(text)) return asks ? 2 : 1
  if (asks) return 1
  if (!isForeign(text)) return 0
  return namesMachine(text) ? 2 : 0.75
}

/** "Please find attached the invoice" asks for nothing. */
const HANDS_OVER = /\b(?:please|kindly) (?:find|see|note)\b/gi

const MARKER = /^(?:[^\p{L}\p{N}]*(?:\(?(?:\d{1,3}|[a-z])[.)])?[^\p{L}\p{N}]*)/u

function opensWithImperative(text: string): boolean {
  const bare = text.replace(MARKER, '').toLowerCase()
  // What is glued to other signs is a name: `order_7.txt`.
  const words = bare.split(/\s+/).map((each) => each.replace(/^[("'*]+|[:,;.!?)"'*]+$/g, ''))
  if (words.length < FEWEST_WORDS) return false
  let first = 0
  while (first < MOST_LEAD_INS && LEAD_INS.has(words[first] ?? '')) first += 1
  const word = words[first] ?? ''
  return IMPERATIVES.has(word) && !(NOUN_LIKE.has(word) && AFTER_NOUN.has(words[first + 1] ?? ''))
}

/** "Invoice for order 7" is a title, and tells nobody to send one. */
const AFTER_NOUN: ReadonlySet<string> = new Set(['for', 'of', 'from', 'about', 'by', 'on', 'is', 'was', 'has', 'are'])

/** What stands behind a sentence that speaks to the agent speaks to it too, and so does all between a tag and its end. */
function spreadZones(sentences: readonly Sentence[]): void {
  const direct = sentences.map(({ level }) => level === 2)
  let left = 0
  let closing: string | undefined
  sentences.forEach((sentence, index) => {
    const opened = PSEUDO_TAG.exec(sentence.text)?.[1]?.toLowerCase()
    if (opened !== undefined) closing = `</${opened}>`
    const closes = closing !== undefined && sentence.text.toLowerCase().includes(closing)
    if (direct[index] === true) {
      left = ZONE_SENTENCES
      const before = sentences[index - 1]
      if (before?.paragraph === sentence.paragraph && before.level < 2) before.level = 2
    } else if (closing !== undefined || left > 0) {
      sentence.level = 2
      left -= 1
    }
    if (closes) closing = undefined
    if (closes || (closing === undefined && ZONE_END.test(sentence.text.trim()))) left = 0
  })
}

function softenNeighbours(sentences: readonly Sentence[]): void {
  sentences.forEach((sentence, index) => {
    if (sentence.level !== 0) return
    const beside = [sentences[index - 1], sentences[index + 1]]
    if (beside.some((other) => other?.level === 1 && other.paragraph === sentence.paragraph)) sentence.level = 0.5
  })
}
