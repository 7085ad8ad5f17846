import { shareOf, Z95, type Share } from '../stats/share.ts'
import { timesOf, type Times } from '../stats/quantile.ts'
import type { Column } from './columns.ts'
import type { Tried } from './measure.ts'
import { KINDS, STATIC_KINDS, type Kind } from './trial.ts'

export interface Balanced {
  readonly value: number
  /** Half of its 95 % interval, by the normal approximation. */
  readonly within: number
}

export interface ColumnReport {
  /** Right calls that were rejected. */
  readonly falseAlarms: {
    readonly all: Share
    /** Right calls that meet their own specification. Any checker of specifications must reject the others. */
    readonly validGold: Share
    /** Of these by source. */
    readonly bySource: Readonly<Record<string, Share>>
    /** Right calls with the optional values that the data accepts, apart from the others. */
    readonly withOptionalValues: Share
  }
  readonly caught: Readonly<Partial<Record<Kind, Share>>>
  readonly balanced: {
    /** Over all rows. */
    readonly pooled: Balanced
    /** Each kind with enough rows weighs the same; right calls are those that meet their specification. */
    readonly overKinds: Balanced
    /** The kinds alone that a specification cannot show. */
    readonly semantic: Balanced
  }
  readonly failed: number
  readonly ms: Times
  /** How often each issue was named, on right and on wrong calls. */
  readonly issues: Readonly<Record<string, { readonly right: number; readonly wrong: number }>>
}

export interface ReflectorReport {
  readonly trials: number
  readonly columns: Readonly<Partial<Record<Column, ColumnReport>>>
}

const FEWEST = 20

export function reportOf(tried: readonly Tried[], columns: readonly Column[]): ReflectorReport {
  return {
    trials: tried.length,
    columns: Object.fromEntries(columns.map((column) => [column, columnReport(tried, column)])),
  }
}

function columnReport(tried: readonly Tried[], column: Column): ColumnReport {
  const rejected = (some: readonly Tried[]): Share =>
    shareOf(some.filter(({ outcomes }) => outcomes[column]?.decision === 'reject').length, some.length)
  const labelled = (label: string) => tried.filter(({ trial }) => trial.label === label)
  const gold = labelled('gold')
  const valid = gold.filter(meetsItsSpecification)
  const validGold = rejected(valid)
  const caught = Object.fromEntries(
    KINDS.map((kind) => [kind, rejected(labelled(kind))] as const).filter(([, share]) => share.of > 0),
  ) as Partial<Record<Kind, Share>>
  const kinds = (Object.entries(caught) as [Kind, Share][]).filter(([, share]) => share.of >= FEWEST)
  const semantic = kinds.filter(([kind]) => !STATIC_KINDS.includes(kind))
  const wrong = tried.filter(({ trial }) => !trial.label.startsWith('gold'))
  const all = rejected(gold)
  const outcomes = tried.flatMap((each) => each.outcomes[column] ?? [])
  return {
    falseAlarms: {
      all,
      validGold,
      bySource: Object.fromEntries(
        [...new Set(gold.map(({ trial }) => trial.source))].map((source) => [
          source,
          rejected(valid.filter(({ trial }) => trial.source === source)),
        ]),
      ),
      withOptionalValues: rejected(labelled('gold_full').filter(meetsItsSpecification)),
    },
    caught,
    balanced: {
      pooled: balancedOf([rejected(wrong)], all),
      overKinds: balancedOf(
        kinds.map(([, share]) => share),
        validGold,
      ),
      semantic: balancedOf(
        semantic.map(([, share]) => share),
        validGold,
      ),
    },
    failed: outcomes.filter(({ decision }) => decision === 'failed').length,
    ms: timesOf(outcomes.map(({ ms }) => ms)),
    issues: issuesIn(tried, column),
  }
}

/** A right call with a fault that its specification shows is no fair test of anything else. */
function meetsItsSpecification({ outcomes }: Tried): boolean {
  return outcomes.static?.decision === 'approve'
}

function balancedOf(caught: readonly Share[], falseAlarms: Share): Balanced {
  const mean = caught.reduce((sum, { share }) => sum + (share ?? 0), 0) / Math.max(1, caught.length)
  const spread = caught.reduce((sum, share) => sum + varianceOf(share), 0) / Math.max(1, caught.length) ** 2
  return {
    value: (mean + 1 - (falseAlarms.share ?? 0)) / 2,
    within: (Z95 * Math.sqrt(spread + varianceOf(falseAlarms))) / 2,
  }
}

function varianceOf({ share, of }: Share): number {
  return share === null ? 0 : (share * (1 - share)) / of
}

function issuesIn(tried: readonly Tried[], column: Column): ColumnReport['issues'] {
  const counts: Record<string, { right: number; wrong: number }> = {}
  for (const { trial, outcomes } of tried) {
    for (const name of new Set(outcomes[column]?.issues)) {
      // `<parameter>.<metric>` would be one row for each parameter.
      const count = (counts[name.replace(/^.*\./, '')] ??= { right: 0, wrong: 0 })
      if (trial.label.startsWith('gold')) count.right += 1
      else count.wrong += 1
    }
  }
  return counts
}
