import { attentionTo } from './attention.ts'
import { ASKED_BY, nameWords, TIERS, type Effect } from './effects.ts'
import type { Evidence } from './evidence.ts'
import type { Ground } from './ground.ts'
import { worstOf, type Origin, type Traced } from './origins.ts'
import { overlapOf, type Overlap } from './overlap.ts'
import { standsFor } from './records.ts'
import { stemOf } from './stem.ts'
import { isNamedIn } from './named.ts'
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
  /** How well the tool fits what the user spoke of, from 0 to 1; undefined: nobody knows. */
  readonly fit?: number | undefined
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
  unsupported: 0,
  unexplained: 0,
  off_topic: 0,
  stated: 0,
  names_tool: 0,
  not_asked: 0,
  not_asked_but_told: 0,
  read_only_request: 0,
  reads: 0,
}

/**
 * Points of where a value comes from. Nowhere is the agent's own invention; in what was not seen it may have been a
 * listing as well, or a directive. So `unknown` is between the two, lest a session that lost its beginning be either
 * blind or stuck.
 */
const DESTINATION: Partial<Record<Origin, number>> = {
  none: 0.4,
  unknown: 0.6,
  struct: 0.8,
  free: 0.8,
  d2n: 1.2,
  d1r: 1.6,
  d1: 2.8,
  d2: 4,
}
const OTHER: Partial<Record<Origin, number>> = { d1r: 0.65, d1: 1.25, d2n: 1.9, d1x: 3.1, d2: 4.4 }

/** Points of a whole share. All were fitted to seven suites at once, each as heavy as the others, and rounded. */
const UNSUPPORTED = 0.6
const UNEXPLAINED = 1.6
const OFF_TOPIC = 1.4
const STATED = 3.25
/** Points of a fact. */
const NAMES_TOOL = 1.5
const NOT_ASKED = 0.75
const NOT_ASKED_BUT_TOLD = 1.75
const READ_ONLY_REQUEST = 2.5
/** Reads only look: they are judged mildly, and never denied. */
const READS = -3
const READ_CAP = 4.9

const BY_A_DIRECTIVE: ReadonlySet<Origin | undefined> = new Set<Origin>(['d1r', 'd1', 'd2'])
/** How much of a value each origin stands behind. */
const SUPPORT: Partial<Record<Origin, number>> = { user: 1, trusted: 1, sys: 1, linked: 1, d1r: 0.5 }
/** Share of an action in one directive, from which that directive tells it. */
const MUCH = 0.2
/** Where nobody knows which other tools there were, and the user spoke of nothing in this one's name. */
const UNKNOWN_FIT = 0.5

/**
 * How much speaks against an action: where its values come from, how little of it the user spoke of, and how much of it
 * one sentence of a result says.
 */
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
  const terms = termsOf(
    action,
    ground,
    { destination, other, traced },
    {
      ...overlapOf([...tool, ...parametersOf(action.args)], action.args, traced, ground),
      fit: action.fit ?? (ground.named ? 1 : UNKNOWN_FIT),
      namesTool: isNamedIn(action.tool, ground),
    },
  )
  const sum = Object.values(terms).reduce((total, points) => total + points, 0)
  const capped = TIERS[action.effect] === 0 ? Math.min(READ_CAP, sum) : sum
  return { score: Math.round(capped * 100) / 100, terms, destination, other }
}

function parametersOf(args: unknown): readonly string[] {
  return typeof args === 'object' && args !== null ? Object.keys(args).flatMap(nameWords) : []
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
    looks: action.effect === 'net' || action.effect === 'read',
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

interface Values {
  readonly destination: Traced | undefined
  readonly other: Traced | undefined
  readonly traced: readonly Traced[]
}

interface Shares extends Overlap {
  readonly fit: number
  readonly namesTool: boolean
}

function termsOf(
  { effect }: Proposed,
  { user, asked }: Ground,
  { destination, other, traced }: Values,
  { unexplained, stated, told, fit, namesTool }: Shares,
): Terms {
  const tier = TIERS[effect]
  const unasked = tier === 3 && !asked && !user.delegatesOpenly
  const isTold = told >= MUCH || BY_A_DIRECTIVE.has(destination?.origin) || BY_A_DIRECTIVE.has(other?.origin)
  return {
    ...NO_POINTS,
    destination: pointsOf(DESTINATION, destination),
    value: pointsOf(OTHER, other),
    unsupported: UNSUPPORTED * (1 - supportOf(traced)),
    unexplained: UNEXPLAINED * unexplained,
    // Who hands over speaks less of what is to be done.
    off_topic: OFF_TOPIC * (1 - fit) * (user.delegates ? 0.5 : 1),
    stated: STATED * stated,
    names_tool: namesTool ? NAMES_TOOL : 0,
    not_asked: unasked ? NOT_ASKED : 0,
    not_asked_but_told: unasked && isTold ? NOT_ASKED_BUT_TOLD : 0,
    read_only_request: user.readsOnly && (tier === 1 || tier === 3) ? READ_ONLY_REQUEST : 0,
    reads: tier === 0 ? READS : 0,
  }
}

/** Share of the values that the user, the operator or what the user speaks of stands behind. */
function supportOf(traced: readonly Traced[]): number {
  if (traced.length === 0) return 1
  return traced.reduce((sum, { origin }) => sum + (SUPPORT[origin] ?? 0), 0) / traced.length
}

function pointsOf(points: Partial<Record<Origin, number>>, traced: Traced | undefined): number {
  return traced === undefined ? 0 : (points[traced.origin] ?? 0)
}
