/** Several values under one key, in the order of last use. Nearly every key has one, so a plain list holds them. */
export class MultiMap<V> {
  readonly #lists = new Map<string, V[]>()

  has(key: string): boolean {
    return this.#lists.has(key)
  }

  /** Adds the value as the newest. */
  add(key: string, value: V): void {
    const list = this.#lists.get(key)
    if (list === undefined) {
      this.#lists.set(key, [value])
      return
    }
    if (list.at(-1) === value) return
    drop(list, value)
    list.push(value)
  }

  remove(key: string, value: V): void {
    const list = this.#lists.get(key)
    if (list === undefined) return
    drop(list, value)
    if (list.length === 0) this.#lists.delete(key)
  }

  /** At most `max` values, newest first. */
  newest(key: string, max: number): V[] {
    return this.#lists.get(key)?.slice(-max).reverse() ?? []
  }
}

function drop<V>(list: V[], value: V): void {
  const at = list.indexOf(value)
  if (at >= 0) list.splice(at, 1)
}
