import { readJson } from '../../json/strict.ts'

/** What a judge says about an action. */
export type Verdict = (
  | { readonly kind: 'allow' | 'deny' | 'uncertain'; readonly reason: string }
  /** It could not be asked, or gave no answer in time. */
  | { readonly kind: 'unavailable'; readonly failure: string }
) & {
  /** It was not asked for anew. */
  readonly cached?: boolean
  /** What else the record is to say. */
  readonly details?: Readonly<Record<string, unknown>>
}

const REASON_CHARACTERS = 500

/**
 * The one verdict in what a model said. Thoughts, fences and prose around it do not count. Where a reader could find
 * another verdict than this one, it is uncertain.
 */
export function parseVerdict(said: string): Verdict {
  const found = objectsIn(withoutThoughts(said))
  if (found === 'unreadable') return uncertain('a verdict that cannot be read')
  const verdicts = found.filter((object) => verdictKeys(object).length > 0)
  const [first, ...others] = verdicts
  if (first === undefined) return uncertain('no verdict')
  if (verdictKeys(first).length > 1) return uncertain('more than one verdict')
  const word = wordOf(first)
  if (word !== 'allow' && word !== 'deny') return uncertain('a word that is no verdict')
  if (others.some((other) => verdictKeys(other).length > 1 || wordOf(other) !== word)) {
    return uncertain('verdicts that differ')
  }
  return { kind: word, reason: reasonOf(first) }
}

function uncertain(why: string): Verdict {
  return { kind: 'uncertain', reason: `The judge's answer has ${why}.` }
}

/**
 * Cuts off thoughts that stand first. At the first closing tag: one that the thoughts merely quote then leaves the rest
 * of them in sight, where a verdict that differs makes it uncertain.
 */
function withoutThoughts(said: string): string {
  const text = said.trimStart()
  if (text.startsWith('{') || text.startsWith('```')) return text
  const end = text.indexOf('</think>')
  // Some servers send the closing tag alone: the opening one was part of their prompt.
  if (end !== -1) return text.slice(end + '</think>'.length)
  return text.startsWith('<think>') ? '' : text
}

type JsonObject = Readonly<Record<string, unknown>>

/** The outermost JSON objects of a text; `unreadable` when something speaks of a verdict and is no strict JSON. */
function objectsIn(text: string): readonly JsonObject[] | 'unreadable' {
  const objects: JsonObject[] = []
  let from = text.indexOf('{')
  while (from !== -1) {
    const end = closingBrace(text, from)
    const piece = text.slice(from, end)
    const json = readJson(Buffer.from(piece))
    if (json.ok) objects.push(json.value as JsonObject)
    else if (/verdict/i.test(piece)) return 'unreadable'
    from = text.indexOf('{', end)
  }
  return objects
}

/** The position after the brace that closes the one at `from`; the end of the text when none does. */
function closingBrace(text: string, from: number): number {
  let depth = 0
  let quoted = false
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (quoted && character === '\\') at += 1
    else if (character === '"') quoted = !quoted
    else if (!quoted && character === '{') depth += 1
    else if (!quoted && character === '}' && --depth === 0) return at + 1
  }
  return text.length
}

/** Keys that some reader takes for the verdict. */
function verdictKeys(object: JsonObject): readonly string[] {
  return Object.keys(object).filter((key) => key.trim().toLowerCase() === 'verdict')
}

function wordOf(object: JsonObject): string | undefined {
  const { verdict } = object
  return typeof verdict === 'string' ? verdict.trim().toLowerCase() : undefined
}

function reasonOf(object: JsonObject): string {
  const { reason } = object
  if (typeof reason !== 'string') return ''
  return reason
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, REASON_CHARACTERS)
}
