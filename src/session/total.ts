import { RecentMap } from './recent-map.ts'

/** What all sessions hold together of a kind: when it is too much, what was entered longest ago goes. */
export class Total {
  held = 0
  readonly #limit: number
  readonly #forgets = new RecentMap<object, () => void>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** `owner` is the newest now. `forget` gives up something that it holds, or leaves. */
  enter(owner: object, forget: () => void): void {
    this.#forgets.set(owner, forget)
  }

  leave(owner: object): void {
    this.#forgets.delete(owner)
  }

  trim(): void {
    while (this.held > this.#limit) {
      const oldest = this.#forgets.oldest()
      if (oldest === undefined) return
      oldest[1]()
    }
  }
}
