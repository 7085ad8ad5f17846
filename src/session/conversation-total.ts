import { LIMITS } from './limits.ts'
import { RecentMap } from './recent-map.ts'

/** All sessions together: when they hold too much, the exchanges that are oldest among all of them go. */
export class ConversationTotal {
  chars = 0
  readonly #forgets = new RecentMap<object, () => void>()

  enter(exchange: object, forget: () => void): void {
    this.#forgets.set(exchange, forget)
  }

  leave(exchange: object): void {
    this.#forgets.delete(exchange)
  }

  trim(): void {
    while (this.chars > LIMITS.conversationCharsOverall) {
      const oldest = this.#forgets.oldest()
      if (oldest === undefined) return
      oldest[1]()
    }
  }
}
