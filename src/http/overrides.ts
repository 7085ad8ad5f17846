import type { HeaderPair, HeaderView } from '../core/exchange.ts'

const METHOD: ReadonlySet<string> = new Set(['x-http-method-override', 'x-http-method', 'x-method-override'])
const TARGET: ReadonlySet<string> = new Set(['x-original-url', 'x-rewrite-url'])

/** Some server takes the request for one with another method than its first line has. */
export function overridesMethod(headers: HeaderView): boolean {
  return headers.pairs.some(([name]) => METHOD.has(name))
}

/** The headers by which some server takes the request for one with another method or path. Mostly there are none. */
export function overridesIn(headers: HeaderView): readonly HeaderPair[] {
  return headers.pairs.filter(([name]) => METHOD.has(name) || TARGET.has(name))
}

/** No server takes the request for another than its first line says. */
export function isPlainlyAddressed(headers: HeaderView): boolean {
  return overridesIn(headers).length === 0
}
