import { numbersIn, textsIn } from './find.ts'
import { leavesOf } from './leaves.ts'
import { sentencesOf, type Level, type Sentence } from './sentences.ts'
import { stemOf, wordsOf } from './stem.ts'
import { bareUrl, hostOf, ONE_URL } from './values.ts'

/** One call of the session, and what came back. */
interface SeenCall {
  readonly tool: string
  readonly args: unknown
  /** The whole answer as text. */
  readonly result: string
}

export interface TakenResult {
  readonly tool: string
  /** The texts of the arguments, in lower case. */
  readonly passed: readonly string[]
  /** In lower case. */
  readonly text: string
}

/** One text of a result. */
export interface SeenLeaf {
  readonly result: number
  readonly record: number
  readonly key: string
  /** In lower case. */
  readonly text: string
  readonly words: number
  readonly sentences: readonly Sentence[]
  /** The highest of its sentences. */
  readonly level: Level
}

/** One object of a result. */
interface SeenRecord {
  readonly result: number
  readonly leaves: readonly number[]
}

/** A sentence, with those beside it if it tells somebody to act; its words are in the index. */
export interface Window {
  readonly level: Level
  readonly result: number
  readonly record: number
}

/** Where a number stands. */
type NumberPlace = readonly [leaf: number, at: number]

/** Longer texts are prose, and say nothing of what their record is about. */
const FIELD_CHARACTERS = 200
/** Of a text that the agent passes on, so much is held: what it writes at length is as good as without bound. */
const PASSED_CHARACTERS = 4096
/** Fewer are no sentence. */
const FEWEST_STEMS = 4
const NONE: readonly never[] = []

/** All that tools have answered in a session, by word and number, so that a value is found without reading it all again. */
export class Evidence {
  readonly results: TakenResult[] = []
  readonly leaves: SeenLeaf[] = []
  readonly records: SeenRecord[] = []
  readonly windows: Window[] = []
  /** Of all the results that were taken. */
  characters = 0
  readonly #hosts = new Set<string>()
  readonly #passedFirst = new Map<string, number>()
  readonly #leavesByWord = new Map<string, number[]>()
  readonly #leavesByNumber = new Map<number, NumberPlace[]>()
  readonly #recordsByStem = new Map<string, number[]>()
  readonly #windowsByStem = new Map<string, number[]>()

  take(call: SeenCall): void {
    const pieces = this.taking(call)
    while (pieces.next().done !== true);
  }

  /** Takes a result in text by text, and says how long each was. Until all are taken, nothing is to be looked up. */
  *taking({ tool, args, result: raw }: SeenCall): Generator<number, undefined> {
    const result = this.results.length
    const firstRecord = this.records.length
    for (const { key, text, record } of leavesOf(raw)) {
      this.#takeLeaf(result, firstRecord + record, key, text)
      yield text.length
    }
    const passed = textsIn(args).map((text) => text.slice(0, PASSED_CHARACTERS).toLowerCase())
    for (const text of passed) {
      const lower = text.trim()
      if (!this.#passedFirst.has(lower)) this.#passedFirst.set(lower, result)
      if (ONE_URL.test(lower)) this.#hosts.add(hostOf(bareUrl(lower)))
    }
    this.characters += raw.length
    this.results.push({
      tool,
      passed,
      text: raw.toLowerCase(),
    })
    return undefined
  }

  /** The agent was at that host before. */
  wasAt(host: string): boolean {
    return this.#hosts.has(host)
  }

  /** Since when the agent has been passing on this text itself; Infinity: it never did. */
  passedSince(text: string): number {
    return this.#passedFirst.get(text) ?? Infinity
  }

  leavesWithWord(word: string): readonly number[] {
    return this.#leavesByWord.get(word) ?? NONE
  }

  leavesWithNumber(value: number): readonly NumberPlace[] {
    return this.#leavesByNumber.get(value) ?? NONE
  }

  recordsWithStem(stem: string): readonly number[] {
    return this.#recordsByStem.get(stem) ?? NONE
  }

  windowsWithStem(stem: string): readonly number[] {
    return this.#windowsByStem.get(stem) ?? NONE
  }

  leavesOf(record: number): readonly SeenLeaf[] {
    return (this.records[record]?.leaves ?? NONE).flatMap((id) => this.leaves[id] ?? NONE)
  }

  #takeLeaf(result: number, record: number, key: string, raw: string): void {
    const leaf = this.leaves.length
    const text = raw.toLowerCase()
    const words = wordsOf(text)
    const sentences = sentencesOf(text)
    const level = sentences.reduce<Level>((most, each) => (each.level > most ? each.level : most), 0)
    this.leaves.push({ result, record, key, text, words: words.length, sentences, level })
    this.#leavesOf(record, result).push(leaf)
    for (const word of new Set(words)) append(this.#leavesByWord, word, leaf)
    for (const [value, at] of numbersIn(text)) append(this.#leavesByNumber, value, [leaf, at])
    if (text.length < FIELD_CHARACTERS) {
      for (const stem of new Set(words.map(stemOf))) append(this.#recordsByStem, stem, record)
    }
    this.#takeWindows(result, record, sentences)
  }

  #leavesOf(record: number, result: number): number[] {
    while (this.records.length <= record) this.records.push({ result, leaves: [] })
    return (this.records[record]?.leaves ?? []) as number[]
  }

  #takeWindows(result: number, record: number, sentences: readonly Sentence[]): void {
    sentences.forEach((sentence, index) => {
      const stems = new Set(wordsOf(sentence.text).map(stemOf))
      // A field of one or two words says what its record is called.
      if (sentences.length === 1 && stems.size < FEWEST_STEMS && sentence.level < 1) return
      if (sentence.level >= 1) {
        for (const beside of [sentences[index - 1], sentences[index + 1]]) {
          if (beside !== undefined && belongsTo(sentence, beside))
            for (const stem of wordsOf(beside.text).map(stemOf)) stems.add(stem)
        }
      }
      const window = this.windows.length
      this.windows.push({ level: sentence.level, result, record })
      for (const stem of stems) append(this.#windowsByStem, stem, window)
    })
  }
}

function belongsTo(sentence: Sentence, other: Sentence): boolean {
  return sentence.level === 2 ? other.level === 2 : other.paragraph === sentence.paragraph && other.level < 2
}

/** Each once in a row: a record comes as often as its leaves. */
function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const found = map.get(key)
  if (found === undefined) map.set(key, [value])
  else if (found.at(-1) !== value) found.push(value)
}
