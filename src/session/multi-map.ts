/** Several values under one key, oldest first. Nearly every key has one, so a plain list holds them. */
export class MultiMap<V> {
  readonly #lists = new Map<string, V[]>()

  has(key: string): boolean {
    return this.#lists.has(key)
  }

  /** Adds a value that is not there yet, as the newest. */
  add(key: string, value: V): void {
    const list = this.#lists.get(key)
    if (list === undefined) this.#lists.set(key, [value])
    else list.push(value)
  }

  remove(key: string, value: V): void {
    const list = this.#lists.get(key)
    if (list === undefined) return
    // What is removed is mostly the oldest, which stands first.
    const at = list.indexOf(value)
    if (at >= 0) list.splice(at, 1)
    if (list.length === 0) this.#lists.delete(key)
  }

  /** At most `max` values, newest first. */
  newest(key: string, max: number): V[] {
    return this.#lists.get(key)?.slice(-max).reverse() ?? []
  }
}
