interface Node<K, V> {
  readonly key: K
  value: V
  newer: Node<K, V> | undefined
  older: Node<K, V> | undefined
}

/**
 * A map in the order of last use. A plain Map keeps such an order too, but finding its first entry gets slow after many
 * deletions, and it cannot be walked from the newest.
 */
export class RecentMap<K, V> {
  readonly #nodes = new Map<K, Node<K, V>>()
  #newest: Node<K, V> | undefined
  #oldest: Node<K, V> | undefined

  get size(): number {
    return this.#nodes.size
  }

  get(key: K): V | undefined {
    return this.#nodes.get(key)?.value
  }

  has(key: K): boolean {
    return this.#nodes.has(key)
  }

  /** Writes the entry and makes it the newest. */
  set(key: K, value: V): void {
    const node = this.#nodes.get(key) ?? { key, value, newer: undefined, older: undefined }
    this.#nodes.set(key, node)
    this.#unlink(node)
    node.value = value
    this.#linkNewest(node)
  }

  delete(key: K): void {
    const node = this.#nodes.get(key)
    if (node === undefined) return
    this.#nodes.delete(key)
    this.#unlink(node)
  }

  oldest(): readonly [key: K, value: V] | undefined {
    return this.#oldest && [this.#oldest.key, this.#oldest.value]
  }

  *newestFirst(): Generator<V, void, undefined> {
    for (let node = this.#newest; node !== undefined; node = node.older) yield node.value
  }

  /** At most `count` keys, newest first. */
  newestKeys(count = Infinity): K[] {
    const keys: K[] = []
    for (let node = this.#newest; node !== undefined && keys.length < count; node = node.older) keys.push(node.key)
    return keys
  }

  #linkNewest(node: Node<K, V>): void {
    node.older = this.#newest
    if (this.#newest === undefined) this.#oldest = node
    else this.#newest.newer = node
    this.#newest = node
  }

  #unlink(node: Node<K, V>): void {
    if (node.newer !== undefined) node.newer.older = node.older
    else if (this.#newest === node) this.#newest = node.older
    if (node.older !== undefined) node.older.newer = node.newer
    else if (this.#oldest === node) this.#oldest = node.newer
    node.newer = undefined
    node.older = undefined
  }
}
