import type { Exchange } from '../../../core/exchange.ts'
import type { CompletionGuard, FoundCall, Guarded } from '../../../core/plugin.ts'
import type { Refusal } from '../../../core/ruling.ts'
import type { Lesson } from '../../../core/session.ts'
import { charsetsNamed } from '../../../http/media.ts'
import { isUtf8Label } from '../../../json/charset.ts'
import { isObject } from '../../../json/rpc.ts'
import { isWellFormed } from '../../../json/strict.ts'
import { formStarting, saysEvents } from '../../kit/answer.ts'
import type { Hearing } from '../../kit/lesson-reader.ts'
import type { JsonObject } from '../dialect.ts'
import { newToolNames } from '../heard.ts'
import type { CallReader, Heard, Written } from './calls.ts'
import { editJson } from './edit-json.ts'
import { DONE, eventForm, jsonForm, otherForm, type Form, type Item } from './forms.ts'
import { createQueue } from './release.ts'
import { wordsForAnswer } from './words.ts'

/**
 * Holds the calls of an answer back, whatever its dialect and form. `reader` finds the calls in its values and takes
 * them out; `hearing` hears what the client gets.
 */
export function createCompletionGuard(x: Exchange, reader: CallReader, hearing: Hearing): CompletionGuard {
  return new Guard(x, reader, hearing)
}

class Guard implements CompletionGuard {
  private readonly x: Exchange
  private readonly reader: CallReader
  private readonly hearing: Hearing
  private readonly queue = createQueue()
  private form: Form | undefined
  /** What came before anything told the form, and what came after it could not be read on. */
  private held: Uint8Array[] = []
  private heldSize = 0
  private unreadable: string | undefined
  /** Whether we gave up: all passes, or nothing does. */
  private over: 'passing' | 'closed' | undefined
  private ended: 'complete' | 'cut' | undefined
  private markedEnd = false
  private edited = false
  private taken = 0
  private proposed = 0
  private readonly tools = newToolNames()

  // What the next answer to the pipeline holds.
  private out: Uint8Array[] = []
  private calls: FoundCall[] = []
  private lessons: Lesson[] = []
  private news: string | undefined

  constructor(x: Exchange, reader: CallReader, hearing: Hearing) {
    this.x = x
    this.reader = reader
    this.hearing = hearing
  }

  feed(bytes: Uint8Array): Guarded {
    return this.guarded(() => {
      if (this.over === 'closed') return
      if (this.over === 'passing') this.pass(bytes)
      else this.take(bytes)
      this.release()
    })
  }

  end(how: 'complete' | 'cut'): Guarded {
    return this.guarded(() => {
      this.ended = how
      if (this.over === undefined) {
        if (how === 'cut') this.breakOff()
        else if (this.unreadable === undefined) this.close()
        this.release()
      }
      // Whoever is gone has heard what went out.
      if (how === 'cut' || this.over !== undefined) this.tellRest()
    })
  }

  rule(callId: number, no: Refusal | undefined): Guarded {
    return this.guarded(() => {
      if (this.over !== undefined) return
      if (no !== undefined) this.taken += 1
      this.queue.rule(callId, no)
      this.release()
    })
  }

  abandon(no: Refusal | undefined): Guarded {
    return this.guarded(() => {
      if (this.over !== undefined || this.done) return
      if (no === undefined) this.letAllGo()
      else this.endWithWords(wordsForAnswer(no))
    })
  }

  get heldBytes(): number {
    if (this.over !== undefined) return 0
    // Text that has not all arrived waits for nobody but its sender.
    const flows = this.form?.name === 'events' && this.queue.bytes + this.heldSize === 0 && !this.isStuck
    return flows ? 0 : this.keptBytes
  }

  get keptBytes(): number {
    return this.queue.bytes + this.heldSize + (this.form?.unreadBytes ?? 0)
  }

  get changed(): boolean {
    return this.edited
  }

  get done(): boolean {
    if (this.over === 'closed') return true
    return this.ended !== undefined && (this.over === 'passing' || (this.queue.bytes === 0 && !this.isStuck))
  }

  /** Only `abandon` helps. */
  private get isStuck(): boolean {
    return this.unreadable !== undefined && this.ended !== 'cut'
  }

  get details(): Readonly<Record<string, unknown>> {
    return {
      answer: this.form?.name ?? 'other',
      ...this.hearing.details,
      ...this.tools.details,
      ...(this.proposed > 0 ? { proposed: this.proposed } : {}),
      ...(this.taken > 0 ? { taken: this.taken } : {}),
      ...(this.unreadable === undefined ? {} : { unread: this.unreadable }),
    }
  }

  /** Does one step, and says what came of it. A fault of ours is like an answer that we cannot read. */
  private guarded(step: () => void): Guarded {
    try {
      step()
    } catch {
      this.cannotRead('the guard failed')
    }
    const { out, calls, lessons, news } = this
    this.out = []
    this.calls = []
    this.lessons = []
    this.news = undefined
    return { out, calls, lessons, ...(news === undefined ? {} : { unreadable: news }) }
  }

  private cannotRead(why: string): void {
    if (this.unreadable !== undefined) return
    this.unreadable = why
    if (this.over === undefined) this.news = why
  }

  // ---- what comes in ----

  private take(bytes: Uint8Array): void {
    const begins = this.form === undefined
    const form = (this.form ??= this.formOf(bytes))
    if (form === undefined) this.hold(bytes)
    else for (const piece of begins ? [...this.unhold(), bytes] : [bytes]) this.read(form, piece)
  }

  private read(form: Form, bytes: Uint8Array): void {
    if (this.unreadable === undefined) {
      const why = form.feed(bytes)
      if (why !== undefined) this.cannotRead(why)
    } else {
      this.hold(bytes)
    }
  }

  private hold(bytes: Uint8Array): void {
    this.held.push(bytes)
    this.heldSize += bytes.length
  }

  private unhold(): readonly Uint8Array[] {
    const { held } = this
    this.held = []
    this.heldSize = 0
    return held
  }

  /** What goes on anyway is read as long as that is possible. */
  private pass(bytes: Uint8Array): void {
    this.emit(bytes)
    if (this.form?.name !== 'events' || this.unreadable !== undefined) return
    const why = this.form.feed(bytes)
    if (why === undefined) return
    this.cannotRead(why)
    this.form.drop()
  }

  private formOf(bytes: Uint8Array): Form | undefined {
    const onItem = (item: Item): string | undefined => this.takeItem(item)
    if (namesOddCharset(this.x)) return otherForm('a character set that is not UTF-8')
    switch (formStarting(this.x, bytes)) {
      case 'json':
        return jsonForm(onItem)
      case 'events':
        return eventForm(onItem)
      case 'other':
        return otherForm('neither JSON nor events')
      case undefined:
        return undefined
    }
  }

  private takeItem(item: Item): string | undefined {
    if (this.over === 'passing') {
      this.learn(item.json, item.mark)
      return undefined
    }
    const heard = this.hear(item)
    if ('unreadable' in heard) return heard.unreadable
    this.find(this.queue.add(item, heard))
    return undefined
  }

  private hear({ json, name, mark }: Item): Heard {
    if (json !== undefined) return this.reader.hear(json.value, name)
    return mark === DONE ? this.reader.close() : { parts: [], complete: [] }
  }

  private find(calls: readonly FoundCall[]): void {
    if (!calls.every(isReadAlike)) this.cannotRead('half of a surrogate pair in a call')
    for (const call of calls) this.tools.add(call.action.tool)
    this.proposed += calls.length
    this.calls.push(...calls)
  }

  /** Nothing more comes: what is there is all of it. */
  private close(): void {
    const why = this.form === undefined ? undefined : this.form.end()
    const heard = why === undefined ? this.reader.close() : { unreadable: why }
    if ('unreadable' in heard) this.cannotRead(heard.unreadable)
    else this.find(this.queue.complete(heard.complete))
    if (this.form === undefined) this.out.push(...this.unhold())
  }

  /** The rest never comes: a call that is not complete never goes out, nor does half an event. */
  private breakOff(): void {
    this.queue.lose()
    this.edited ||= (this.form?.unreadBytes ?? 0) + this.heldSize > 0
    this.form?.drop()
    this.unhold()
  }

  // ---- what goes out ----

  private release(): void {
    for (let item = this.queue.next(); item !== undefined; item = this.queue.next()) this.write(item)
    if (this.done) this.tellRest()
  }

  private write(item: Item): void {
    if (item.json === undefined) {
      this.markedEnd ||= item.mark === DONE
      this.emit(item.raw)
      this.learn(undefined, item.mark)
      return
    }
    const written = this.reader.write(item.json.value)
    if (written === undefined) {
      this.emit(item.raw)
      this.learn(item.json, '')
    } else {
      this.rewrite(item, item.json, written)
    }
  }

  private rewrite(item: Item, json: NonNullable<Item['json']>, written: NonNullable<Written>): void {
    const form = this.form
    if (form === undefined) return
    this.edited = true
    if ('instead' in written) {
      for (const value of written.instead) this.add(form, value, item.raw)
      return
    }
    const text = editJson(json.text(), written.changes)
    const value: unknown = JSON.parse(text)
    this.emit(form.edited(item.raw, text, isObject(value) ? this.reader.eventName(value) : undefined))
    this.learn({ value }, '')
  }

  private add(form: Form, data: JsonObject | string, like: Uint8Array): void {
    const isMark = typeof data === 'string'
    this.emit(form.added(data, isMark ? undefined : this.reader.eventName(data), like))
    this.learn(isMark ? undefined : { value: data }, isMark ? data : '')
  }

  /** What the client hears, we hear. */
  private learn(json: { readonly value: unknown } | undefined, mark: string): void {
    if (json !== undefined) this.lessons.push(...this.hearing.hear(json.value))
    else if (mark !== '') this.lessons.push(...(this.hearing.mark?.(mark) ?? []))
  }

  private tellRest(): void {
    this.lessons.push(...this.hearing.rest())
  }

  /** Neighbours in one array stay together. */
  private emit(bytes: Uint8Array): void {
    const last = this.out.at(-1)
    if (last?.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset) {
      this.out[this.out.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + bytes.length)
    } else if (bytes.length > 0) {
      this.out.push(bytes)
    }
  }

  // ---- giving up ----

  private letAllGo(): void {
    this.over = 'passing'
    for (let item = this.queue.force(); item !== undefined; item = this.queue.force()) {
      this.emit(item.raw)
      this.learn(item.json, item.mark)
    }
    for (const bytes of [...(this.form?.unread ?? []), ...this.unhold()]) this.emit(bytes)
    if (this.form?.name !== 'events' || this.unreadable !== undefined) this.form?.drop()
    if (this.ended !== undefined) this.tellRest()
  }

  private endWithWords(words: string): void {
    this.over = 'closed'
    this.edited = true
    this.form?.drop()
    this.unhold()
    const form = this.form === undefined || this.form.name === 'other' ? this.formByType() : this.form
    if (form.name === 'json') this.add(form, this.reader.whole(words), NO_BYTES)
    else if (!this.markedEnd) for (const data of this.reader.ending(words)) this.add(form, data, NO_BYTES)
    this.tellRest()
  }

  /** For an answer that nobody can tell the form of. */
  private formByType(): Form {
    return (saysEvents(this.x) ? eventForm : jsonForm)(() => undefined)
  }
}

function isReadAlike({ action: { proposed } }: FoundCall): boolean {
  return proposed === undefined || [proposed.id ?? '', proposed.tool, proposed.argumentsText].every(isWellFormed)
}

const NO_BYTES = new Uint8Array()

/** In these, what JSON and events are made of looks as in UTF-8. */
const LIKE_ASCII = /^(?:latin1|iso-8859-\d+|windows-125\d)$/

/** Some clients read by the character set that the answer names. */
function namesOddCharset({ answer }: Exchange): boolean {
  const named = answer === undefined ? [] : charsetsNamed(answer.headers)
  return named.some((label) => !isUtf8Label(label) && !LIKE_ASCII.test(label))
}
