/** Numbers of items, ascending; most things stand in one text only, and need no list. */
export type Places = number | number[]

/**
 * Where each key stands. Made when it is first asked for; from then on only what came since is read, so that a question
 * costs the same however much was said before.
 */
export class PlacesOf<K, T extends { readonly id: number }> {
  readonly #places = new Map<K, Places>()
  readonly #items: readonly T[]
  readonly #keysOf: (item: T) => Iterable<K>
  readonly #onNew: (key: K) => void
  #read = 0

  /** `onNew`: told once of each key. */
  constructor(items: readonly T[], keysOf: (item: T) => Iterable<K>, onNew: (key: K) => void = () => undefined) {
    this.#items = items
    this.#keysOf = keysOf
    this.#onNew = onNew
  }

  get(key: K): Places | undefined {
    this.catchUp()
    return this.#places.get(key)
  }

  keys(): Iterable<K> {
    this.catchUp()
    return this.#places.keys()
  }

  catchUp(): void {
    for (; this.#read < this.#items.length; this.#read++) {
      const item = this.#items[this.#read]
      if (item !== undefined) for (const key of this.#keysOf(item)) this.#add(key, item.id)
    }
  }

  #add(key: K, id: number): void {
    const known = this.#places.get(key)
    if (known === undefined) {
      this.#places.set(key, id)
      this.#onNew(key)
    } else if (typeof known === 'number') {
      if (known !== id) this.#places.set(key, [known, id])
    } else if (known.at(-1) !== id) known.push(id)
  }
}
