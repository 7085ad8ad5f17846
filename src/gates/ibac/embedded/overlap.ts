import { textsIn } from './find.ts'
import { isHandedOver, type Ground } from './ground.ts'
import type { Traced } from './origins.ts'
import { namesOf } from './records.ts'
import { stemOf, wordsOf } from './stem.ts'
import { STOP_WORDS } from './words.ts'

/** How much an action is made of the user's words, and of a text that tells somebody to act. */
export interface Overlap {
  /** Share of it that the user did not speak of. */
  readonly unexplained: number
  /** The most of it that stands in one such text and not in the user's. */
  readonly directed: number
  /** Who that text speaks to: the agent, anybody, or somebody to whom the user has handed over. */
  readonly by: 'agent' | 'anybody' | 'handed_over'
}

const VALUE_CHARACTERS = 400
const VALUE_STEMS = 40
const LONG_WORD = 9
const RECORDS_OF_ONE_ID = 3
const SHARES: Readonly<Record<Overlap['by'], number>> = { agent: 1.25, anybody: 1, handed_over: 0.8 }

export function overlapOf(tool: readonly string[], args: unknown, traced: readonly Traced[], ground: Ground): Overlap {
  const weights = weightsOfAction(tool, args)
  const unexplained = shareUnmet(weights, ground)
  addRecords(weights, traced, ground)
  return { unexplained, ...strongest(weights, ground) }
}

type Weights = Map<string, number>

function weightsOfAction(tool: readonly string[], args: unknown): Weights {
  const texts = textsIn(args).map((text) => wordsOf(text.slice(0, VALUE_CHARACTERS)).slice(0, VALUE_STEMS))
  const stems = new Set([...tool, ...texts.flat()].map(stemOf))
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

function strongest(weights: Weights, ground: Ground): Pick<Overlap, 'directed' | 'by'> {
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  let directed = 0
  let by: Overlap['by'] = 'handed_over'
  for (const window of windowsMet(weights, ground)) {
    const met = weightMet[window] ?? 0
    weightMet[window] = 0
    if ((met / whole) * SHARES.agent <= directed) continue
    const speaksTo = whomItSpeaksTo(window, ground)
    const share = Math.min(1, (met / whole) * SHARES[speaksTo])
    if (share > directed) [directed, by] = [share, speaksTo]
  }
  return { directed, by }
}

/** By window, how much of the action stands in it and not in the user's words. All 0 between two decisions: a map anew for each would be most of its work. */
let weightMet = new Float64Array(1024)

function windowsMet(weights: Weights, { evidence, user }: Ground): readonly number[] {
  if (weightMet.length < evidence.windows.length) weightMet = new Float64Array(2 * evidence.windows.length)
  const met: number[] = []
  for (const [stem, weight] of weights) {
    if (user.wide.has(stem)) continue
    for (const window of evidence.windowsWithStem(stem)) {
      if (weightMet[window] === 0) met.push(window)
      weightMet[window] = (weightMet[window] ?? 0) + weight
    }
  }
  return met
}

function whomItSpeaksTo(id: number, ground: Ground): Overlap['by'] {
  const { evidence, attention } = ground
  const window = evidence.windows[id]
  if (window === undefined) return 'handed_over'
  if (window.level === 2) return 'agent'
  const pointedAt = attention.records.has(window.record) || attention.results.has(window.result)
  return pointedAt && isHandedOver(ground) ? 'handed_over' : 'anybody'
}
