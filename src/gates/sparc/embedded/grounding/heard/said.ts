import type { Facts } from '../said/facts.ts'
import type { SearchText } from '../text.ts'

export type Source = 'user' | 'system' | 'tool' | 'assistant'

/** A text of a conversation that counts, and who said it. */
export interface Counting {
  readonly from: Source
  readonly text: string
  /** The arguments of the call whose result it is, where they are known. */
  readonly askedText: string | undefined
}

/** What a call was made with. */
export interface Asked {
  /** Its number among those of its stock. */
  readonly id: number
  readonly search: SearchText
}

/** What was said, and what was read in it. */
export interface Said extends Counting {
  /** Its number in the stock that it is kept in. */
  readonly id: number
  readonly search: SearchText
  readonly facts: Facts
  readonly asked: Asked | undefined
}
