import { pattern } from '../../config/fields.ts'

export interface EndpointRules {
  /** A base URL that would be right. */
  readonly example: string
  /** The field for a token. */
  readonly bearerField: string
  /** What is added to it, and so must not stand at its end. */
  readonly added: RegExp
}

const WEB = /^https?:\/\//

/** What a JSON Schema can say of a base URL; the rest is for the code, which knows what a URL is. */
export const ENDPOINT_DEMAND = { schema: pattern(`^$|${WEB.source}`), values: 'URL' }

/** Why a base URL is none, and what would be right. Says nothing of the value but what is safe: it may hold a password. */
export function endpointFault(endpoint: string, rules: EndpointRules): string | undefined {
  // Whether it may be empty depends on other fields.
  if (endpoint === '') return undefined
  const help = endpointHelp(rules)
  if (!WEB.test(endpoint)) return `must be a URL that begins with http:// or https://; ${help}`
  if (!URL.canParse(endpoint)) return `is no URL; ${help}`
  const url = new URL(endpoint)
  if (url.username !== '' || url.password !== '') return `must not hold a password; use ${rules.bearerField}`
  if (url.search !== '' || url.hash !== '') return `must have no query and no fragment; ${help}`
  const [added] = rules.added.exec(url.pathname) ?? []
  if (added === undefined) return undefined
  const base = `${url.origin}${url.pathname.slice(0, -added.length)}`
  return `must not end in ${added}, which is added to it; write "${base}"`
}

export function endpointHelp({ example }: EndpointRules): string {
  return `write the base URL, such as "${example}"`
}

const BEARER = /^[!-~]*$/

/** What a JSON Schema can say of a bearer token. */
export const BEARER_DEMAND = { schema: pattern(BEARER.source) }

/** A header cannot carry anything else; a line break from a file is the usual guest. */
export function bearerFault(bearer: string): string | undefined {
  return BEARER.test(bearer) ? undefined : 'must be one word of visible ASCII characters, without line break'
}
