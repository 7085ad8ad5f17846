import { holds, placesIn, worthOf } from './find.ts'
import type { Ground } from './ground.ts'
import { rankOf, type Origin, type Traced } from './origins.ts'
import { findPlaces, type Place } from './places.ts'
import { recordsNamed } from './records.ts'
import type { UserFacts } from './user.ts'
import { formsOf, hostOf, nameParts, type Value } from './values.ts'
import { STOP_WORDS } from './words.ts'

/** Where a value comes from: the best of all places, unless text that speaks to the agent names it too. */
export function trace(value: Value, ground: Ground): Traced {
  const found = formsOf(value).map((form, i) => traceForm(value, form, ground, i > 0))
  // A longer form that stands somewhere says more than its shortest part.
  return found.find(({ origin }) => !isAbsent(origin)) ?? found[0] ?? at(value, absent(value, ground))
}

const at = (value: Value, origin: Origin): Traced => ({ value, origin, records: [], result: undefined })
const isAbsent = (origin: Origin) => origin === 'none' || origin === 'unknown'

function absent(value: Value, { incomplete }: Ground): Origin {
  // A number that stands nowhere is more often worked out than made up.
  if (value.kind === 'number') return 'struct'
  return incomplete ? 'unknown' : 'none'
}

const MOST_PARTS = 6

/** `acme/site`, where the user said `site` and the operator or the user said `acme`: who attacks has no part in it. */
function saidInParts({ kind }: Value, form: string, { user, system }: Ground): boolean {
  const parts = form.split('/').filter((part) => part !== '')
  const last = parts.at(-1)
  if (kind !== 'other' || last === undefined || parts.length < 2 || parts.length > MOST_PARTS) return false
  return holds(user.text, last) && parts.every((part) => holds(user.text, part) || holds(system, part))
}

function traceForm(value: Value, form: string, ground: Ground, isPart: boolean): Traced {
  if (saidByUser(value, form, ground.user)) return at(value, 'user')
  if (isTrusted(value, form, ground)) return at(value, 'trusted')
  if (saidByOperator(value, form, ground)) return at(value, 'sys')
  if (saidInParts(value, form, ground)) return at(value, 'user')
  const { best, told, leaves } = findPlaces(value, form, ground)
  // Who speaks to the agent may make his address of words that every system text has.
  if (told === undefined && isNamedByOperator(value, form, ground)) return at(value, 'sys')
  if (best === undefined) return at(value, absent(value, ground))
  const origin = settled(value, form, best.origin, told !== undefined, ground)
  const decided = told !== undefined && origin !== best.origin ? told : best
  return {
    value,
    origin,
    records: isPart || !value.isId ? [] : recordsNamed(form, leaves, ground.evidence),
    result: resultOf(decided, ground),
  }
}

function resultOf({ leaf }: Place, { evidence }: Ground): number | undefined {
  return evidence.leaves[leaf]?.result
}

function settled(value: Value, form: string, best: Origin, told: boolean, ground: Ground): Origin {
  const origin = told ? originIfTold(value, form, best) : best
  if (value.kind === 'number') return originOfNumber(value, origin)
  return origin !== 'd2' && isFurtherPage(value, form, ground) ? 'linked' : origin
}

/** Who looks at a site goes from page to page; an address with a query may carry something out. */
function isFurtherPage({ kind, raw }: Value, form: string, { looks, evidence }: Ground): boolean {
  return kind === 'url' && looks && !raw.includes('?') && evidence.wasAt(hostOf(form))
}

/** What the user, the operator or what the user points at says stays so, whatever an attacker adds. */
const OVERRIDDEN: ReadonlySet<Origin> = new Set(['struct', 'free', 'd1r', 'd1'])
const NAME = /^[\p{L} ]+$/u
/** A branch called `main`, a mode called `fast`. */
const COMMON_WORD = /^[a-z]{1,8}$/

/** Text that speaks to the agent names it too. */
function originIfTold(value: Value, form: string, best: Origin): Origin {
  if (best === 'd2' && !value.isDestination && COMMON_WORD.test(value.raw)) return 'd2n'
  if (!OVERRIDDEN.has(best)) return best
  if (!NAME.test(form)) return 'd2'
  if (best === 'struct') return 'd2n'
  return !value.isDestination && !form.includes(' ') ? 'free' : 'd2'
}

const SHORT_NUMBER = 3

/** Small numbers stand everywhere: that a directive has one too says little. */
function originOfNumber({ raw }: Value, origin: Origin): Origin {
  const isShort = raw.replace(/\D/g, '').length < SHORT_NUMBER
  if (isShort && rankOf(origin) > rankOf('d1')) return 'd1r'
  return origin === 'free' || origin === 'd1r' ? 'struct' : origin
}

const SHORT_ID = /^\d{1,4}$/
/** Before a number it makes that the name of something. */
const ID_WORD = /(?:\bid\b|#|\bnumber\b|\bno\.|\bfile\b|\border\b|\bnr\b)\W{0,3}$/
const ID_WORD_CHARACTERS = 12

function saidByUser(value: Value, form: string, user: UserFacts): boolean {
  const spots = value.kind === 'number' ? spotsOfNumber(value, user) : placesIn(user.text, form)
  if (value.isId && SHORT_ID.test(value.raw)) {
    return spots.some((spot) => ID_WORD.test(user.text.slice(Math.max(0, spot - ID_WORD_CHARACTERS), spot)))
  }
  return spots.length > 0 || (value.kind === 'url' && holds(user.text, hostOf(form)))
}

function spotsOfNumber({ raw }: Value, { numbers }: UserFacts): readonly number[] {
  const worth = worthOf(raw)
  return numbers.filter(([number]) => number === worth).map(([, spot]) => spot)
}

function isTrusted({ kind }: Value, form: string, { trusts }: Ground): boolean {
  if (kind === 'mail') return trusts(form.slice(form.lastIndexOf('@') + 1))
  return kind === 'url' && trusts(hostOf(form))
}

const FULL_NAME = 2

function saidByOperator({ kind }: Value, form: string, { system, spec }: Ground): boolean {
  if (kind === 'number') return false
  return holds(system, form) || holds(spec, form)
}

function isNamedByOperator({ kind }: Value, form: string, { system }: Ground): boolean {
  if (kind !== 'mail') return false
  const parts = nameParts(form)
  return parts.length >= FULL_NAME && parts.every((part) => !STOP_WORDS.has(part) && holds(system, part))
}
