/** What in a text points at something: the parts that shortening keeps, and that say where an action goes. */
export interface Names {
  readonly urls: readonly string[]
  readonly mails: readonly string[]
  /** Bare host names and addresses, with their port where there is one. */
  readonly hosts: readonly string[]
  /** Tokens such as `TX-991`, an account or a digest; and numbers of five digits or more. */
  readonly ids: readonly string[]
}

interface Found {
  readonly urls: Set<string>
  readonly mails: Set<string>
  readonly hosts: Set<string>
  readonly ids: Set<string>
}

// Texts come from whoever attacks. So a text is cut into ever smaller pieces, each in one pass, and no expression that
// could search back and forth sees more than a few hundred characters.

/** What stands between white space, quotes and brackets that no URL contains. */
const CHUNK = /[^\s"'<>\\^`{|}]+/gu
/** Without any of these, a chunk is a word. The dots of other scripts are dots to a URL parser. */
const POINTER = /[\p{N}.。．｡@:]/u
const WORD = /[\p{L}\p{N}._\-。．｡:]+/gu
const TOKEN = /[\p{L}\p{N}][\p{L}\p{N}_-]*/gu

/** Finds them all; a name inside a longer one (a host in a URL) is not listed again. */
export function namesIn(text: string): Names {
  const found: Found = { urls: new Set(), mails: new Set(), hosts: new Set(), ids: new Set() }
  for (const [chunk] of text.matchAll(CHUNK)) if (POINTER.test(chunk)) searchChunk(chunk, found)
  return { urls: [...found.urls], mails: [...found.mails], hosts: [...found.hosts], ids: [...found.ids] }
}

function searchChunk(chunk: string, found: Found): void {
  const url = urlStart(chunk)
  if (url < chunk.length) found.urls.add(chunk.slice(url))
  const rest = takeMails(chunk.slice(0, url), found)
  for (const [address] of rest.includes('[') ? rest.matchAll(IPV6_IN_BRACKETS) : []) found.hosts.add(address)
  for (const [word] of rest.matchAll(WORD)) if (POINTER.test(word)) searchWord(word, found)
}

const SCHEME_CHARACTERS = 20

/** Where a URL begins; the end of the chunk when there is none. */
function urlStart(chunk: string): number {
  const mark = chunk.indexOf('://')
  if (mark === -1) return chunk.length
  let start = mark
  while (start > 0 && mark - start < SCHEME_CHARACTERS && /[a-z0-9+.-]/iu.test(chunk.charAt(start - 1))) start -= 1
  return start
}

const MAIL_USER_CHARACTERS = 64

/** Moves mail addresses out of a chunk, and returns what is left of it. */
function takeMails(chunk: string, found: Found): string {
  if (!chunk.includes('@')) return chunk
  const [first = '', ...others] = chunk.split('@')
  const left = [first]
  for (const part of others) {
    const before = left.pop() ?? ''
    const [user = ''] = /[\p{L}\p{N}._%+-]*$/u.exec(before.slice(-MAIL_USER_CHARACTERS)) ?? []
    const [domain = ''] = /^[\p{L}\p{N}][\p{L}\p{N}.-]{0,254}/u.exec(part) ?? []
    if (user === '' || domain === '') left.push(before, part)
    else {
      found.mails.add(`${user}@${domain.endsWith('.') ? domain.slice(0, -1) : domain}`)
      left.push(before.slice(0, before.length - user.length), part.slice(domain.length))
    }
  }
  return left.join(' ')
}

const IPV6_IN_BRACKETS = /\[[0-9a-f:.]{2,45}\](?::\d{1,5})?/giu
const IPV6 = /^[0-9a-f:]{0,44}::[0-9a-f:.]{0,44}$|^(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$/iu
const HOST = /^(?:[\p{L}\p{N}_-]{1,63}[.。．｡])+\p{L}[\p{L}\p{N}-]{1,62}$/u
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/u
const LABEL = /^\p{L}[\p{L}\p{N}-]{0,62}$/u
const PORT = /^\d{2,5}$/u
/** No name is longer, and what is longer is not searched for one. */
const HOST_CHARACTERS = 255

function searchWord(word: string, found: Found): void {
  if (word.length <= HOST_CHARACTERS && IPV6.test(word)) {
    found.hosts.add(word)
    return
  }
  const pieces = word.split(':')
  for (const [at, piece] of pieces.entries()) {
    const port = PORT.test(pieces[at + 1] ?? '') ? `:${pieces[at + 1] ?? ''}` : ''
    const name = piece.length <= HOST_CHARACTERS ? piece.replace(/^[._-]+|[._-]+$/gu, '') : ''
    if (HOST.test(name) || IPV4.test(name) || (port !== '' && LABEL.test(name))) found.hosts.add(name + port)
    else for (const [token] of piece.matchAll(TOKEN)) if (isId(token)) found.ids.add(token)
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d+)?$/u
const SHORTEST_ID = 4
const SHORTEST_NUMBER = 5

/** Whether a token stands for one thing, rather than being a word. */
function isId(token: string): boolean {
  const digits = token.replace(/[^\p{N}]/gu, '').length
  if (digits === 0 || DATE.test(token)) return false
  return /\p{L}/u.test(token) ? token.length >= SHORTEST_ID : digits >= SHORTEST_NUMBER
}
