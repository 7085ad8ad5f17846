import { htmlTexts, looksLikeHtml } from './html.ts'
import { readPythonLiteral } from './python-literal.ts'
import { readYaml } from './yaml-text.ts'

/** One text of a tool's result. */
export interface Leaf {
  readonly key: string
  readonly text: string
  /** Which object of the result it belongs to; counted from 0. */
  readonly record: number
}

const DEEPEST = 32
const OPENS_YAML = /^\s*(?:- )?[A-Za-z_][\w -]{0,40}:(?:\s|$)/

/** The texts of a result, each with its key and the object that it stands in. */
export function leavesOf(raw: string): readonly Leaf[] {
  const value = structured(raw)
  if (value === undefined || typeof value === 'string') return plainLeaves(typeof value === 'string' ? value : raw)
  const walk = new Walk()
  walk.value(value, '', walk.record(undefined), 0)
  // What lies deeper is read all the same, lest somebody hide there.
  return walk.isTooDeep ? plainLeaves(raw) : walk.leaves
}

/** Undefined: it is plain text. */
function structured(raw: string): unknown {
  const text = raw.trim()
  if (text === '') return undefined
  if (/^[{["\d-]|^(?:true|false|null)$/.test(text)) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      // Perhaps one of the others.
    }
  }
  if (/^[{[('"]/.test(text)) {
    const value = readPythonLiteral(text)
    if (value !== undefined) return value
  }
  return OPENS_YAML.test(text) ? readYaml(text) : undefined
}

class Walk {
  readonly leaves: Leaf[] = []
  isTooDeep = false
  #records = 0

  /** A new object; what it is called is one of its fields. */
  record(key: string | undefined): number {
    const record = this.#records
    this.#records += 1
    if (key !== undefined && key !== '') this.leaves.push({ key: '@key', text: key, record })
    return record
  }

  value(value: unknown, key: string, record: number, depth: number): void {
    if (depth > DEEPEST) {
      this.isTooDeep = true
      return
    }
    if (Array.isArray(value)) {
      for (const item of value) this.value(item, key, record, depth + 1)
    } else if (typeof value === 'object' && value !== null) {
      const inside = this.record(key)
      for (const [name, member] of Object.entries(value)) this.value(member, name, inside, depth + 1)
    } else if (typeof value === 'string' || typeof value === 'number') {
      this.text(String(value), key, record)
    }
  }

  text(text: string, key: string, record: number): void {
    if (looksLikeHtml(text)) for (const leaf of htmlTexts(text)) this.leaves.push({ ...leaf, record })
    else if (text.trim() !== '') this.leaves.push({ key, text, record })
  }
}

const LABELLED = /^[ \t*-]*([A-Za-z][\w ()/-]{0,40}):[ \t]+(\S[^\n]{0,80})$/gm
const SHORT_WORDS = 5

/** Plain text is one leaf, and each `Label: short value` in it another. */
function plainLeaves(text: string): readonly Leaf[] {
  const whole = looksLikeHtml(text) ? htmlTexts(text) : [{ key: '', text }]
  const labelled = [...text.matchAll(LABELLED)]
    .map(([, key = '', value = '']) => ({ key: key.toLowerCase(), text: value.trim() }))
    .filter((leaf) => leaf.text.split(/\s+/).length <= SHORT_WORDS)
  return [...whole, ...labelled].map((leaf) => ({ ...leaf, record: 0 }))
}
