import { textsIn } from './find.ts'
import type { Window } from './evidence.ts'
import { isPointedAt, levelTo, mayBeTold, type Ground } from './ground.ts'
import type { Traced } from './origins.ts'
import { namesOf } from './records.ts'
import { stemOf, wordsOf } from './stem.ts'
import { Tally } from './tally.ts'
import { STOP_WORDS } from './words.ts'

/** How much an action is made of the user's words, and of what one sentence of a result says. */
export interface Overlap {
  /** Share of it that the user did not speak of. */
  readonly unexplained: number
  /** The most of it that stands in one sentence and not in the user's words, less where the user points at that sentence. */
  readonly stated: number
  /** The same of sentences that tell somebody to act. */
  readonly told: number
}

const VALUE_CHARACTERS = 400
const VALUE_STEMS = 40
const LONG_WORD = 9
const RECORDS_OF_ONE_ID = 3
/** What counts of a sentence in what the user points at; and of one there that the user may have wanted done. */
const POINTED_AT = 0.6
const HANDED_OVER = 0.3
/** Above this level a sentence tells somebody to act by itself. */
const LEAST_DIRECTIVE = 0.5

/** `names`: the words of the tool and of its parameters. */
export function overlapOf(names: readonly string[], args: unknown, traced: readonly Traced[], ground: Ground): Overlap {
  const weights = weightsOfAction(names, args)
  const unexplained = shareUnmet(weights, ground)
  addRecords(weights, traced, ground)
  return { unexplained, ...strongest(weights, ground) }
}

type Weights = Map<string, number>

function weightsOfAction(names: readonly string[], args: unknown): Weights {
  const texts = textsIn(args).map((text) => wordsOf(text.slice(0, VALUE_CHARACTERS)).slice(0, VALUE_STEMS))
  const stems = new Set([...names, ...texts.flat()].map(stemOf))
  return new Map([...stems].filter((stem) => !STOP_WORDS.has(stem)).map((stem) => [stem, weightOf(stem)]))
}

/** Long words and numbers are seldom met by chance. */
function weightOf(stem: string): number {
  return /\d/.test(stem) || stem.length >= LONG_WORD ? 2 : 1
}

function shareUnmet(weights: Weights, { user }: Ground): number {
  let total = 0
  let unmet = 0
  for (const [stem, weight] of weights) {
    total += weight
    if (!user.wide.has(stem)) unmet += weight
  }
  return total === 0 ? 0 : unmet / total
}

/** What an id stands for is half of what is done. */
function addRecords(weights: Weights, traced: readonly Traced[], { evidence }: Ground): void {
  for (const { records } of traced) {
    for (const record of records.slice(0, RECORDS_OF_ONE_ID)) {
      for (const { text } of namesOf(record, evidence)) {
        for (const stem of wordsOf(text).map(stemOf)) {
          if (!weights.has(stem) && !STOP_WORDS.has(stem)) weights.set(stem, weightOf(stem) / 2)
        }
      }
    }
  }
}

/** By window, how much of the action stands in it and not in the user's words. */
const met = new Tally()

function strongest(weights: Weights, ground: Ground): Pick<Overlap, 'stated' | 'told'> {
  const { evidence, user } = ground
  let whole = 0
  met.begin(evidence.windows.length)
  for (const [stem, weight] of weights) {
    whole += weight
    if (!user.wide.has(stem)) for (const window of evidence.windowsWithStem(stem)) met.add(window, weight)
  }
  let stated = 0
  let told = 0
  met.forEach((id, weight) => {
    const window = evidence.windows[id]
    if (window === undefined || weight / whole <= told) return
    const share = (weight / whole) * shareThatCounts(window, ground)
    stated = Math.max(stated, share)
    if (levelTo(window.level, ground) > LEAST_DIRECTIVE) told = Math.max(told, share)
  })
  return { stated, told }
}

function shareThatCounts(window: Window, ground: Ground): number {
  if (window.level === 2 || !isPointedAt(window, ground)) return 1
  return mayBeTold(ground) ? HANDED_OVER : POINTED_AT
}
