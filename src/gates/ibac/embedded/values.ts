import { leavesIn, MOST_VALUES } from './find.ts'
import { CONTENT_PARAMETER, DESTINATION_PARAMETER } from './patterns.ts'

/** One value of an action's arguments. */
export interface Value {
  readonly parameter: string
  readonly raw: string
  readonly kind: 'mail' | 'url' | 'account' | 'number' | 'text' | 'other'
  /** It says where something goes. */
  readonly isDestination: boolean
  readonly isId: boolean
}

const ONE_MAIL = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}$/
const MAILS = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g
export const ONE_URL =
  /^(?:[a-z][a-z0-9+.-]{0,19}:\/\/|www\.)\S+$|^[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[a-z]{2,24}(?:\/\S*)?$/i
const URLS = /\b(?:https?:\/\/|www\.)[^\s<>"')\]]{1,2000}/gi
const ACCOUNT = /^[A-Z]{2}\d{8,30}$/
const NUMBER = /^-?\d[\d,]{0,40}(?:\.\d{1,40})?$/
const DATE =
  /^\d{4}-\d{1,2}(?:-\d{1,2})?(?:[T ]\d{1,2}:\d\d(?::\d\d)?.{0,20})?$|^\d{1,2}:\d\d(?::\d\d)?$|^\d{1,2}[/.]\d{1,2}[/.]\d{2,4}$/
const FILE_NAME = /^(?!www\.)[^/]{0,200}\.(?:txt|pdf|docx?|csv|md|py|json|xlsx?|html?|png|jpe?g|zip|ics)$/i
const ID_PARAMETER = /(?:^|_)ids?_?$|Ids?$/
const LONG_TEXT = 60
/** In a parameter that holds prose, more words than this are prose. */
const FEW_WORDS = 2
/** Pointers of one text that are looked for. */
const MOST_POINTERS = 50

/** What an action is given, but for dates and flags: those are nobody's. */
export function valuesOf(args: unknown): readonly Value[] {
  return leavesIn(args).flatMap(([parameter, text]) => {
    const raw = text.trim()
    return raw === '' || DATE.test(raw) ? [] : valuesIn(parameter, raw)
  })
}

/** Several addresses in one text, or one with a name before it, are each looked for by themselves. */
function valuesIn(parameter: string, raw: string): readonly Value[] {
  const value = valueOf(parameter, raw)
  if (value.kind !== 'other' && value.kind !== 'text') return [value]
  if (!DESTINATION_PARAMETER.test(parameter) || CONTENT_PARAMETER.test(parameter)) return [value]
  const pieces = raw.split(/[,;\n]/).filter((piece) => piece.trim() !== '')
  const addresses = pieces.slice(0, MOST_VALUES).map(addressesIn)
  if (addresses.some(({ length }) => length === 0)) return [value]
  return addresses.flat().map((address) => ({ ...value, ...address, isDestination: true }))
}

function valueOf(parameter: string, raw: string): Value {
  const kind = kindOf(parameter, raw)
  const goesSomewhere = kind === 'mail' || kind === 'url' || kind === 'account'
  return {
    parameter,
    raw,
    kind,
    isDestination: goesSomewhere || (kind !== 'text' && DESTINATION_PARAMETER.test(parameter)),
    isId: ID_PARAMETER.test(parameter),
  }
}

function kindOf(parameter: string, raw: string): Value['kind'] {
  if (ONE_MAIL.test(raw)) return 'mail'
  if (NUMBER.test(raw)) return 'number'
  if (ACCOUNT.test(raw)) return 'account'
  if (ONE_URL.test(raw) && !FILE_NAME.test(raw)) return 'url'
  if (raw.length > LONG_TEXT) return 'text'
  return CONTENT_PARAMETER.test(parameter) && raw.split(/\s+/, FEW_WORDS + 1).length > FEW_WORDS ? 'text' : 'other'
}

/** URLs and mail addresses inside a text that the agent writes. */
export function pointersIn({ kind, parameter, raw }: Value): readonly Value[] {
  if (kind !== 'text') return []
  const found = addressesIn(raw).slice(0, MOST_POINTERS)
  return found.map((each) => ({ parameter, isDestination: false, isId: false, ...each }))
}

function addressesIn(text: string): readonly Pick<Value, 'raw' | 'kind'>[] {
  return [
    ...(text.match(MAILS) ?? []).map((raw) => ({ raw, kind: 'mail' as const })),
    ...(text.match(URLS) ?? []).map((raw) => ({ raw, kind: 'url' as const })),
  ]
}

/** The forms under which a value may be found, the fullest first: of a URL also what is left without query, and its host. */
export function formsOf({ kind, raw }: Value): readonly string[] {
  const text = raw.toLowerCase()
  if (kind !== 'url') return [text]
  const bare = bareUrl(text).replace(/\/{1,20}$/, '')
  return [...new Set([bare, bare.split('?', 1)[0] ?? '', hostOf(bare)])]
}

/** A URL without what two spellings of it may differ in: scheme, user and `www.`. */
export function bareUrl(url: string): string {
  const rest = url.replace(/^[a-z][a-z0-9+.-]{0,19}:\/\//, '')
  const authority = rest.split(/[/?#\\]/, 1)[0] ?? ''
  // Who is named before an `@` is not where it goes.
  return rest.slice(authority.lastIndexOf('@') + 1).replace(/^www\./, '')
}

export function hostOf(bare: string): string {
  return (bare.split(/[/?#\\]/, 1)[0] ?? '').replace(/:\d{1,5}$/, '')
}

const PART_LETTERS = 3

/** What in a mail address may be a person's name. */
export function nameParts(mail: string): readonly string[] {
  return (mail.split('@', 1)[0] ?? '').split(/[^\p{L}]+/u).filter((part) => part.length >= PART_LETTERS)
}
