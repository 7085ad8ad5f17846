import { parse, Parser, type CST } from 'yaml'

/** Longer YAML is read as plain text: its parser is slow, and nothing else runs meanwhile. */
const MOST_CHARACTERS = 32_768
const DEEPEST = 32

/**
 * Reads an object or a list written in YAML. Undefined where it is none, and where its keys are no plain names or it is
 * nested without end: the parser's work on such text grows far faster than the text.
 */
export function readYaml(text: string): unknown {
  if (text.length > MOST_CHARACTERS) return undefined
  try {
    if (!isSimple(text)) return undefined
    // Making errors pretty looks at the whole text for each of them.
    const value: unknown = parse(text, {
      maxAliasCount: 0,
      schema: 'failsafe',
      logLevel: 'silent',
      prettyErrors: false,
    })
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function isSimple(text: string): boolean {
  for (const token of new Parser().parse(text)) {
    if (token.type === 'error' || token.type === 'directive') return false
    if (token.type === 'document' && !isShallow(token.value, 0)) return false
  }
  return true
}

function isShallow(token: CST.Token | null | undefined, depth: number): boolean {
  if (token === undefined || token === null) return true
  if (depth > DEEPEST || token.type === 'alias') return false
  if (!('items' in token)) return true
  if (token.type === 'block-map' && !token.items.every(hasColon)) return false
  return token.items.every(
    ({ start, key, sep, value }) =>
      !start.some(isUnusual) && !sep?.some(isUnusual) && isName(key) && isShallow(value, depth + 1),
  )
}

/** Each line without one would be an error of its own. */
function hasColon({ key, sep }: { readonly key?: CST.Token | null; readonly sep?: CST.SourceToken[] }): boolean {
  return key === undefined || key === null || sep?.some(({ type }) => type === 'map-value-ind') === true
}

function isName(key: CST.Token | null | undefined): boolean {
  return key === undefined || key === null || (!('items' in key) && key.type !== 'alias')
}

/** No tool that answers in YAML writes these. */
function isUnusual({ type }: CST.SourceToken): boolean {
  return type === 'explicit-key-ind' || type === 'anchor' || type === 'tag'
}
