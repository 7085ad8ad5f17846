import { argumentsIn } from '../arguments.ts'
import { factsOf, type Facts } from '../said/facts.ts'
import { holds, searchText, type Wanted } from '../text.ts'
import { Index } from './index.ts'
import { mayHold } from './among.ts'
import type { Asked, Counting, Said, Source } from './said.ts'

/**
 * The texts of one conversation as it grows, each read once, and where everything stands in them. It is only added to: a
 * conversation that is shortened or told anew is another choice of its texts.
 */
export class Stock {
  readonly texts: Said[] = []
  readonly #asks: Asked[] = []
  readonly index = new Index(this.texts, this.#asks)
  /** Of all texts, and of what calls were made with. */
  characters = 0
  readonly #known = new Map<Source, Map<string | undefined, Map<string, Said>>>()
  readonly #asked = new Map<string, Asked>()

  take(counting: Counting): Said {
    return this.#find(counting) ?? this.#add(counting, factsOf(counting.text, counting.from === 'tool'))
  }

  /** Takes over what another stock has read. */
  adopt(said: Said): Said {
    return this.#find(said) ?? this.#add(said, said.facts)
  }

  /** The calls that were made with this. */
  asksFor(wanted: Wanted): ReadonlySet<Asked> {
    const places = mayHold(wanted, this.index.askedWords, this.index.askedBeginnings) ?? []
    const found = new Set<Asked>()
    for (const id of typeof places === 'number' ? [places] : places) {
      const asked = this.#asks[id]
      if (asked !== undefined && holds(asked.search, wanted)) found.add(asked)
    }
    return found
  }

  #find({ from, text, askedText }: Counting): Said | undefined {
    return this.#known.get(from)?.get(askedText)?.get(text)
  }

  #add({ from, text, askedText }: Counting, facts: Facts): Said {
    const asked = askedText === undefined ? undefined : this.#ask(askedText)
    const said: Said = { id: this.texts.length, from, text, askedText, search: facts.search, facts, asked }
    const ofSource = this.#known.get(from) ?? new Map<string | undefined, Map<string, Said>>()
    const ofAnswers = ofSource.get(askedText) ?? new Map<string, Said>()
    this.#known.set(from, ofSource.set(askedText, ofAnswers.set(text, said)))
    this.texts.push(said)
    this.characters += text.length
    return said
  }

  /** Many results may answer calls that were made with the same. */
  #ask(askedText: string): Asked {
    const known = this.#asked.get(askedText)
    if (known !== undefined) return known
    const asked = { id: this.#asks.length, search: searchText(argumentsIn(askedText)) }
    this.#asked.set(askedText, asked)
    this.#asks.push(asked)
    this.characters += askedText.length
    return asked
  }
}

/** What a stock of only these has. */
export function charactersOf(texts: readonly Counting[]): number {
  const asked = new Set(texts.map(({ askedText }) => askedText ?? ''))
  return [...texts.map(({ text }) => text), ...asked].reduce((sum, text) => sum + text.length, 0)
}
