import { attentionTo } from './attention.ts'
import { ASKED_BY, nameWords, TIERS, type Effect } from './effects.ts'
import type { Evidence } from './evidence.ts'
import type { Ground } from './ground.ts'
import { worstOf, type Origin, type Traced } from './origins.ts'
import { overlapOf, type Overlap } from './overlap.ts'
import { standsFor } from './records.ts'
import { stemOf } from './stem.ts'
import { trace } from './trace.ts'
import type { UserFacts } from './user.ts'
import { pointersIn, valuesOf } from './values.ts'

/** An action, as what it calls and with what. */
export interface Proposed {
  readonly tool: string
  readonly effect: Effect
  /** The tool's specification, in lower case. */
  readonly spec: string
  readonly args: unknown
}

/** What it is held against. */
export interface Context {
  readonly user: UserFacts
  readonly system: { readonly text: string; readonly stems: ReadonlySet<string> }
  readonly trusts: (host: string) => boolean
  readonly evidence: Evidence
  readonly incomplete: boolean
}

/** What speaks against an action, in points; the names are those of the record. */
export type Terms = Readonly<Record<keyof typeof NO_POINTS, number>>

export interface Scored {
  readonly score: number
  readonly terms: Terms
  /** The worst value that says where something goes, and the worst of the others. */
  readonly destination: Traced | undefined
  readonly other: Traced | undefined
}

const NO_POINTS = {
  destination: 0,
  value: 0,
  severe: 0,
  not_asked: 0,
  not_asked_but_told: 0,
  read_only_request: 0,
  unexplained: 0,
  told: 0,
  told_not_asked: 0,
  reads: 0,
}

/**
 * Nowhere is the agent's own invention; in what was not seen it may have been a listing as well, or a directive. So
 * `unknown` is between the two, lest a session that lost its beginning be either blind or stuck.
 */
const DESTINATION: Partial<Record<Origin, number>> = {
  none: 0.5,
  unknown: 0.75,
  struct: 1,
  free: 1,
  d2n: 1.5,
  d1r: 2,
  d1: 3.5,
  d2: 5,
}
const OTHER: Partial<Record<Origin, number>> = { d1r: 0.5, d1: 1, d2n: 1.5, d1x: 2.5, d2: 3.5 }
const BY_A_DIRECTIVE: ReadonlySet<Origin | undefined> = new Set<Origin>(['d1r', 'd1', 'd2'])
const OVERLAP: Readonly<Record<Overlap['by'], number>> = { agent: 2.5, anybody: 1.5, handed_over: 0.5 }
const MUCH = 0.2
/** Reads only look: they are judged mildly, and never denied. */
const READ_POINTS = -3
const READ_CAP = 4.9

/** How much speaks against an action. */
export function score(action: Proposed, context: Context): Scored {
  const tool = nameWords(action.tool)
  const ground = groundOf(action, tool, context)
  const values = valuesOf(action.args)
  const traced = values.map((value) => trace(value, ground))
  const destination = worstOf(traced.filter(({ value }) => value.isDestination))
  const other = worstOf([
    ...traced.filter(({ value }) => !value.isDestination),
    ...thingsMeant(traced, ground),
    ...pointersTold(values.flatMap(pointersIn), ground),
  ])
  const overlap = overlapOf(tool, action.args, traced, ground)
  const terms = termsOf(action.effect, ground, destination, other, overlap)
  const sum = Object.values(terms).reduce((total, points) => total + points, 0)
  const capped = TIERS[action.effect] === 0 ? Math.min(READ_CAP, sum) : sum
  return { score: Math.round(capped * 100) / 100, terms, destination, other }
}

function groundOf(action: Proposed, tool: readonly string[], context: Context): Ground {
  const { user, system, evidence, trusts, incomplete } = context
  return {
    user,
    system: system.text,
    systemStems: system.stems,
    spec: action.spec,
    trusts,
    evidence,
    attention: attentionTo(evidence, user),
    incomplete,
    asked: ASKED_BY[action.effect].some((name) => user.asks.has(name)),
    named: tool.some((word) => user.wide.has(stemOf(word))),
  }
}

/** Ids, by what they stand for. */
function thingsMeant(traced: readonly Traced[], ground: Ground): readonly Traced[] {
  return traced.flatMap((each) => {
    const origin = standsFor(each, ground)
    return origin === undefined ? [] : [{ ...each, origin }]
  })
}

/** Addresses inside a text that the agent writes count only where a text that speaks to the agent named them. */
function pointersTold(pointers: ReturnType<typeof pointersIn>, ground: Ground): readonly Traced[] {
  return pointers.map((pointer) => trace(pointer, ground)).filter(({ origin }) => origin === 'd2')
}

function termsOf(
  effect: Effect,
  { user, asked }: Ground,
  destination: Traced | undefined,
  other: Traced | undefined,
  { unexplained, directed, by }: Overlap,
): Terms {
  const tier = TIERS[effect]
  const unasked = tier === 3 && !asked && !user.delegatesOpenly
  const told = directed >= MUCH || BY_A_DIRECTIVE.has(destination?.origin) || BY_A_DIRECTIVE.has(other?.origin)
  return {
    ...NO_POINTS,
    destination: pointsOf(DESTINATION, destination),
    value: pointsOf(OTHER, other),
    severe: tier === 3 ? 0.5 : 0,
    not_asked: unasked ? 1 : 0,
    not_asked_but_told: unasked && told ? 1.5 : 0,
    read_only_request: user.readsOnly && (tier === 1 || tier === 3) ? 2 : 0,
    unexplained: 2.5 * unexplained,
    told: OVERLAP[by] * directed,
    told_not_asked: asked ? 0 : 2.5 * directed,
    reads: tier === 0 ? READ_POINTS : 0,
  }
}

function pointsOf(points: Partial<Record<Origin, number>>, traced: Traced | undefined): number {
  return traced === undefined ? 0 : (points[traced.origin] ?? 0)
}
