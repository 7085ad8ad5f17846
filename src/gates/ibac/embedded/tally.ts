/**
 * Sums by small whole numbers, in the order in which they were first met. One serves all decisions: a map anew for each
 * would be most of its work, and most of what the collector has to clear away.
 */
export class Tally {
  #sums = new Float64Array(1024)
  #met = new Int32Array(1024)
  #count = 0

  /** Before anything is added: all sums are 0, and there is room for these many numbers. */
  begin(size: number): void {
    if (size > this.#sums.length) {
      this.#sums = new Float64Array(2 * size)
      this.#met = new Int32Array(2 * size)
    } else {
      for (let i = 0; i < this.#count; i += 1) this.#sums[this.#met[i] ?? 0] = 0
    }
    this.#count = 0
  }

  /** `weight` is above 0. */
  add(id: number, weight: number): void {
    const sum = this.#sums[id] ?? 0
    if (sum === 0) {
      this.#met[this.#count] = id
      this.#count += 1
    }
    this.#sums[id] = sum + weight
  }

  forEach(look: (id: number, sum: number) => void): void {
    for (let i = 0; i < this.#count; i += 1) {
      const id = this.#met[i] ?? 0
      look(id, this.#sums[id] ?? 0)
    }
  }
}
