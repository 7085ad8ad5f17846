import { LIMITS } from './limits.ts'
import { keyOf } from './names.ts'
import { RecentMap } from './recent-map.ts'

/** Facts of a workload, by when they were last planted. They outlive sessions. */
export class Notes {
  readonly #byWorkload = new Map<string, RecentMap<string, number>>()
  readonly #ttlMs: number

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs
  }

  plant(workload: string, keys: readonly string[], nowMs: number): void {
    if (keys.length === 0) return
    const notes = this.#byWorkload.get(workload) ?? new RecentMap<string, number>()
    this.#byWorkload.set(workload, notes)
    for (const key of keys) notes.set(keyOf([key]), nowMs)
    this.#trim(notes, nowMs)
  }

  has(workload: string, key: string, nowMs: number): boolean {
    const plantedMs = this.#byWorkload.get(workload)?.get(keyOf([key]))
    return plantedMs !== undefined && !this.#isOver(plantedMs, nowMs)
  }

  #trim(notes: RecentMap<string, number>, nowMs: number): void {
    for (let oldest = notes.oldest(); oldest !== undefined; oldest = notes.oldest()) {
      if (notes.size <= LIMITS.notes && !this.#isOver(oldest[1], nowMs)) return
      notes.delete(oldest[0])
    }
  }

  #isOver(plantedMs: number, nowMs: number): boolean {
    return nowMs - plantedMs > this.#ttlMs
  }
}
