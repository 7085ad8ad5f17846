import type { Value } from './values.ts'

/**
 * Where a value comes from, the best first: the user's words (`user`), hosts that the operator trusts (`trusted`), the
 * system text or the tool's own specification (`sys`), a field of what the user points at (`linked`) or of anything else
 * (`struct`), prose that only states (`free`), nowhere (`none`), perhaps in what was not seen (`unknown`); a sentence
 * that asks, in what the user handed over to (`d1r`) or elsewhere (`d1`); text that speaks to the agent, where it names a
 * thing that is listed elsewhere (`d2n`) or not (`d2`). `d1x`: an id of something that a sentence asks for.
 */
const ORIGINS = [
  'user',
  'trusted',
  'sys',
  'linked',
  'struct',
  'free',
  'none',
  'unknown',
  'd1r',
  'd1',
  'd2n',
  'd1x',
  'd2',
] as const
export type Origin = (typeof ORIGINS)[number]

const RANKS = new Map(ORIGINS.map((origin, rank) => [origin, rank]))

export function rankOf(origin: Origin): number {
  return RANKS.get(origin) ?? ORIGINS.length
}

export interface Traced {
  readonly value: Value
  readonly origin: Origin
  /** Records that the value, an id, stands for. */
  readonly records: readonly number[]
  /** The result that decided. */
  readonly result: number | undefined
}

export function worstOf(traced: readonly Traced[]): Traced | undefined {
  let worst: Traced | undefined
  for (const each of traced) if (worst === undefined || rankOf(each.origin) > rankOf(worst.origin)) worst = each
  return worst
}
