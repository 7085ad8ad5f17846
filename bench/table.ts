import type { Load } from './loads.ts'
import type { Measured } from './measure.ts'
import { median } from './numbers.ts'
import type { Row } from './rows.ts'

/** All rounds of one row under one load. */
export interface Series {
  readonly row: Row
  readonly load: Load
  readonly rounds: readonly Measured[]
}

export interface Summary {
  readonly row: string
  readonly load: string
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMs: number | undefined
  /** CPU per exchange over the floor's of the same round. */
  readonly floors: number | undefined
  readonly messages: number | undefined
}

/** `floor`: the floor's rounds under the same load. */
export function summarize({ row, load, rounds }: Series, floor: Series | undefined): Summary {
  const ratios = rounds.map((round, i) => (round.cpuMs ?? NaN) / (floor?.rounds[i]?.cpuMs ?? NaN))
  return {
    row: row.id,
    load: load.id,
    perSecond: median(rounds.map((round) => round.perSecond)),
    p50Ms: median(rounds.map((round) => round.p50Ms)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
    cpuMs: known(rounds.map((round) => round.cpuMs ?? NaN)),
    floors: known(ratios),
    messages: known(rounds.map((round) => round.messages ?? NaN)),
  }
}

function known(numbers: readonly number[]): number | undefined {
  const middle = median(numbers)
  return Number.isNaN(middle) ? undefined : middle
}

const HEADINGS = ['', 'req/s', 'p50 ms', 'p99 ms', 'CPU ms per exchange', 'in floors', 'messages'] as const

/** The figures of all rows under one load. */
export function table(series: readonly Series[]): string {
  const lines = series.map((one) => {
    const summary = summarize(one, floorOf(series, one.load))
    const figures = [
      summary.perSecond.toFixed(0),
      summary.p50Ms.toFixed(2),
      summary.p99Ms.toFixed(2),
      summary.cpuMs?.toFixed(3) ?? '-',
      summary.floors?.toFixed(2) ?? '-',
      summary.messages?.toFixed(2) ?? '-',
    ]
    return [one.row.title, ...figures]
  })
  return grid(HEADINGS, lines)
}

/** A table in Markdown, aligned for a terminal. */
export function grid(headings: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...lines.map((line) => line[i]?.length ?? 0)))
  const show = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [show(headings), rule, ...lines.map(show)].join('\n')
}

export function floorOf(series: readonly Series[], load: Load): Series | undefined {
  return series.find((one) => one.row.id === 'floor' && one.load === load)
}
