/** What in a text points at something: the parts that shortening keeps, and that say where an action goes. */
export interface Names {
  readonly urls: readonly string[]
  readonly mails: readonly string[]
  /** Bare host names and addresses, with their port where there is one. */
  readonly hosts: readonly string[]
  /** Tokens such as `TX-991`, an account or a digest; and numbers of five digits or more. */
  readonly ids: readonly string[]
}

// Every repetition that another one surrounds is bounded, so that no text makes a search slow.
const URL_LIKE = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>\\^`{|}]+/giu
const MAIL_LIKE = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}][\p{L}\p{N}.-]{0,254}/gu
// The dots of other scripts are dots to a URL parser.
const HOST_LIKE =
  /(?:[\p{L}\p{N}_-]{1,63}[.。．｡]){1,20}[\p{L}][\p{L}\p{N}-]{1,62}(?::\d{1,5})?|\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?|\[[0-9a-f:.]{2,45}\](?::\d{1,5})?|\blocalhost\b(?::\d{1,5})?|[\p{L}][\p{L}\p{N}-]{0,62}:\d{2,5}(?![\p{L}\p{N}])/giu
const TOKEN = /[\p{L}\p{N}][\p{L}\p{N}_-]{2,}/gu

const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d+)?$/u
const SHORTEST_ID = 4
const SHORTEST_NUMBER = 5

/** Finds them all; a name inside a longer one (a host in a URL) is not listed again. */
export function namesIn(text: string): Names {
  const urls = unique(text.match(URL_LIKE))
  const withoutUrls = text.replace(URL_LIKE, ' ')
  const mails = unique(withoutUrls.match(MAIL_LIKE))
  const withoutMails = withoutUrls.replace(MAIL_LIKE, ' ')
  const hosts = unique(withoutMails.match(HOST_LIKE))
  const ids = unique(withoutMails.replace(HOST_LIKE, ' ').match(TOKEN)).filter(isId)
  return { urls, mails, hosts, ids }
}

/** Whether a token stands for one thing, rather than being a word. */
export function isId(token: string): boolean {
  const digits = token.replace(/[^\p{N}]/gu, '').length
  if (digits === 0 || DATE.test(token)) return false
  return /\p{L}/u.test(token) ? token.length >= SHORTEST_ID : digits >= SHORTEST_NUMBER
}

function unique(found: readonly string[] | null): readonly string[] {
  return [...new Set(found ?? [])]
}
