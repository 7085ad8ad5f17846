/** Reads what Python prints of a value: many tools answer so. Undefined where it is none, whole. */
export function readPythonLiteral(text: string): unknown {
  const reader = new Reader(text)
  try {
    const value = reader.value(0)
    return reader.atEnd() ? value : undefined
  } catch (error) {
    if (error instanceof NoLiteral) return undefined
    throw error
  }
}

class NoLiteral extends Error {}

const DEEPEST = 32
const NAMED: Readonly<Record<string, unknown>> = { None: null, True: true, False: false, nan: null, inf: null }
const SCALAR = /[^,\]})\s:]+/y
const CALL = /[A-Za-z_][\w.]*\(/y

class Reader {
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  atEnd(): boolean {
    this.#blanks()
    return this.#at === this.#text.length
  }

  value(depth: number): unknown {
    if (depth > DEEPEST) throw new NoLiteral()
    this.#blanks()
    const first = this.#text[this.#at]
    if (first === '{') return this.#braces(depth)
    if (first === '[') return this.#list(']', depth)
    if (first === '(') return this.#list(')', depth)
    if (first === "'" || first === '"') return this.#string(first)
    return this.#scalar(depth)
  }

  #braces(depth: number): unknown {
    this.#at += 1
    const entries: [string, unknown][] = []
    const items: unknown[] = []
    while (!this.#takes('}')) {
      const key = this.value(depth + 1)
      if (this.#takes(':')) entries.push([String(key), this.value(depth + 1)])
      else items.push(key)
      if (!this.#takes(',') && !this.#sees('}')) throw new NoLiteral()
    }
    return items.length > 0 ? items : Object.fromEntries(entries)
  }

  #list(closing: string, depth: number): unknown[] {
    this.#at += 1
    const items: unknown[] = []
    while (!this.#takes(closing)) {
      items.push(this.value(depth + 1))
      if (!this.#takes(',') && !this.#sees(closing)) throw new NoLiteral()
    }
    return items
  }

  #string(quote: string): string {
    let text = ''
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const sign = this.#text[this.#at] ?? ''
      if (sign === quote) {
        this.#at += 1
        return text
      }
      if (sign !== '\\') text += sign
      else text += this.#escaped()
    }
    throw new NoLiteral()
  }

  #escaped(): string {
    this.#at += 1
    const sign = this.#text[this.#at] ?? ''
    const digits = { x: 2, u: 4, U: 8 }[sign]
    if (digits === undefined) return { n: '\n', t: '\t', r: '\r', '\n': '' }[sign] ?? sign
    const code = Number.parseInt(this.#text.slice(this.#at + 1, this.#at + 1 + digits), 16)
    if (!(code >= 0 && code <= 0x10ffff)) throw new NoLiteral()
    this.#at += digits
    return String.fromCodePoint(code)
  }

  /** A number, a named constant, or a call such as `datetime.date(2024, 5, 1)`, which stays text. */
  #scalar(depth: number): unknown {
    const call = this.#match(CALL)
    if (call !== undefined) {
      this.#at -= 1
      const inside = this.#list(')', depth + 1)
      return `${call}${inside.map(String).join(', ')})`
    }
    const word = this.#match(SCALAR)
    if (word === undefined) throw new NoLiteral()
    if (Object.hasOwn(NAMED, word)) return NAMED[word]
    const number = Number(word)
    if (Number.isNaN(number)) throw new NoLiteral()
    return number
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #sees(sign: string): boolean {
    this.#blanks()
    return this.#text[this.#at] === sign
  }

  #takes(sign: string): boolean {
    if (!this.#sees(sign)) return false
    this.#at += 1
    return true
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }
}
