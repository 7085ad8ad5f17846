import { tableOf } from '../table.ts'
import { decimal, shareText } from '../words.ts'
import type { Column } from './columns.ts'
import type { Balanced, ColumnReport, ReflectorReport } from './report.ts'
import { KINDS } from './trial.ts'

/** The report as people read it. */
export function reflectorText(report: ReflectorReport): string {
  const columns = Object.entries(report.columns) as [Column, ColumnReport][]
  const row = (title: string, cell: (column: ColumnReport) => string) => [
    title,
    ...columns.map(([, column]) => cell(column)),
  ]
  const sources = [...new Set(columns.flatMap(([, { falseAlarms }]) => Object.keys(falseAlarms.bySource)))]
  const kinds = KINDS.filter((kind) => columns.some(([, { caught }]) => caught[kind] !== undefined))
  const table = tableOf(
    ['rejected', ...columns.map(([name]) => name)],
    [
      row('false alarms, all right calls', ({ falseAlarms }) => shareText(falseAlarms.all)),
      row('  those that meet their specification', ({ falseAlarms }) => shareText(falseAlarms.validGold)),
      ...sources.map((source) => row(`  of ${source}`, ({ falseAlarms }) => nth(falseAlarms.bySource[source]))),
      row('  with optional values', ({ falseAlarms }) => shareText(falseAlarms.withOptionalValues)),
      ...kinds.map((kind) => row(kind, ({ caught }) => nth(caught[kind]))),
      row('balanced accuracy, pooled', ({ balanced }) => balancedText(balanced.pooled)),
      row('balanced accuracy, mean of kinds', ({ balanced }) => balancedText(balanced.overKinds)),
      row('  of kinds that need the conversation', ({ balanced }) => balancedText(balanced.semantic)),
      row('no verdict', ({ failed }) => String(failed)),
      row('ms, p50 / p95 / p99', ({ ms }) => [ms.p50, ms.p95, ms.p99].map((each) => decimal(each)).join(' / ')),
    ],
  )
  return `${report.trials} calls, each with 95 % intervals (Wilson)\n\n${table}`
}

function nth(share: Parameters<typeof shareText>[0] | undefined): string {
  return share === undefined ? '-' : shareText(share)
}

function balancedText({ value, within }: Balanced): string {
  return `${decimal(value)} ±${decimal(within)}`
}
