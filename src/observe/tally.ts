import { Counter, type Registry } from 'prom-client'

/** A counter with labels that costs one look-up to count: the library's own makes and hashes an object each time. */
export interface Tally {
  /** Values in the order of the labels. Each has to be one of few. */
  add(...values: readonly string[]): void
  addSome(amount: number, ...values: readonly string[]): void
  /** Shown from now on, at zero: what appears with its first count is invisible to `increase()`. */
  show(...values: readonly string[]): void
}

export interface TallyOptions {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly registry: Registry
}

interface Cell {
  readonly labels: Readonly<Record<string, string>>
  count: number
}

export function createTally({ name, help, labels, registry }: TallyOptions): Tally {
  const cells = new Map<string, Cell>()
  const cellOf = (values: readonly string[]): Cell => {
    const key = values.join('\0')
    const known = cells.get(key)
    if (known !== undefined) return known
    const cell = { labels: Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ''])), count: 0 }
    cells.set(key, cell)
    return cell
  }
  new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset()
      for (const cell of cells.values()) this.inc(cell.labels, cell.count)
    },
  })
  return {
    add: (...values) => {
      cellOf(values).count += 1
    },
    addSome: (amount, ...values) => {
      cellOf(values).count += amount
    },
    show: (...values) => void cellOf(values),
  }
}
