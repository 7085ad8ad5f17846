import { z } from 'zod'
import { footgun, GLOB_CHARACTERS, type GlobKind } from '../http/globs.ts'
import { factsOf, type JsonSchema, mappingOf, type Meaning, meant } from './meaning.ts'
import { SUBSTITUTION } from './substitute.ts'
import { Substituted } from './substituted.ts'

/** What a configuration is made of. Each field says in its message what is wrong and what would be right. */
export type Field<T> = z.ZodType<T>

/** Names the issue of a key that a mapping does not know, for whoever looks for the nearest one. */
export const UNKNOWN_KEY = 'unknown_key'

const REQUIRED = 'is required'

type Read<T> = { readonly value: T } | { readonly wrong: string }

function field<T>(meaning: Meaning, read: (input: unknown) => Read<T>): Field<T> {
  const reading = z.unknown().transform((input, context) => {
    const result = input === undefined ? { wrong: REQUIRED } : read(input)
    if ('value' in result) return result.value
    context.issues.push({ code: 'custom', message: result.wrong, input })
    return z.NEVER
  })
  return meant(reading, meaning)
}

/** Text of this form, or text in which something is replaced: then only the code knows what it will be. */
export const pattern = (form: string): JsonSchema => ({ pattern: `${form}|${SUBSTITUTION}` })

/** A type beside text, which may stand for a value of it when something is replaced in it. */
const scalar = (type: string, limits: JsonSchema = {}): JsonSchema => ({
  type: [type, 'string'],
  ...limits,
  pattern: SUBSTITUTION,
})

const SHOWN_CHARACTERS = 60

/** How a message speaks of a value. What came from the environment is named, not shown. */
function shown(input: unknown): string {
  if (input instanceof Substituted) {
    return `comes from ${input.source}${input.text === '' ? ', which is empty' : ', whose value is something else'}`
  }
  if (typeof input === 'string') return `is the text ${JSON.stringify(input.slice(0, SHOWN_CHARACTERS))}`
  const scalar = typeof input === 'number' || typeof input === 'boolean'
  return `is ${shape(input)}${scalar ? ` ${input}` : ''}`
}

/** The shape alone, for fields whose value must never be shown. */
function shape(input: unknown): string {
  if (input === null) return 'empty'
  if (Array.isArray(input)) return 'a list'
  if (typeof input === 'object') return 'a mapping'
  return typeof input === 'boolean' ? 'the flag' : 'the number'
}

const plain = (input: unknown): unknown => (input instanceof Substituted ? input.text : input)

function readText(input: unknown, nonEmpty: boolean): Read<string> {
  const value = plain(input)
  if (typeof value !== 'string') {
    const scalar = typeof value === 'number' || typeof value === 'boolean'
    return { wrong: `must be text, is ${shape(value)}${scalar ? '; put it in quotes' : ''}` }
  }
  if (nonEmpty && value === '') {
    return { wrong: `must not be empty${input instanceof Substituted ? `, ${shown(input)}` : ''}` }
  }
  return { value }
}

export function text(options: { readonly nonEmpty?: boolean } = {}): Field<string> {
  const nonEmpty = options.nonEmpty === true
  const schema = nonEmpty ? { type: 'string', minLength: 1 } : { type: 'string' }
  return field({ schema, values: 'text' }, (input) => readText(input, nonEmpty))
}

/** Text that no message, log or error ever shows. */
export function secret(): Field<string> {
  return field({ schema: { type: 'string' }, values: 'text' }, (input) => readText(input, false))
}

const DECIMAL = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i

function readNumber(input: unknown, min: number, max: number, whole: boolean): Read<number> {
  const number = input instanceof Substituted && DECIMAL.test(input.text) ? Number(input.text) : input
  const fits =
    typeof number === 'number' && number >= min && number <= max && (whole ? Number.isSafeInteger(number) : true)
  if (fits) return { value: number }
  return { wrong: `must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}, ${shown(input)}` }
}

export function integer(min: number, max: number): Field<number> {
  const meaning = {
    schema: scalar('integer', { minimum: min, maximum: max }),
    values: `whole number, ${min} to ${max}`,
  }
  return field(meaning, (input) => readNumber(input, min, max, true))
}

export function number(min: number, max: number): Field<number> {
  const meaning = { schema: scalar('number', { minimum: min, maximum: max }), values: `number, ${min} to ${max}` }
  return field(meaning, (input) => readNumber(input, min, max, false))
}

export function flag(): Field<boolean> {
  return field({ schema: scalar('boolean'), values: '`true`, `false`' }, (input) => {
    if (typeof input === 'boolean') return { value: input }
    if (input instanceof Substituted && /^(true|false)$/i.test(input.text)) {
      return { value: input.text.toLowerCase() === 'true' }
    }
    return { wrong: `must be true or false, ${shown(input)}` }
  })
}

export function choice<const T extends string>(values: readonly T[]): Field<T> {
  const meaning = {
    schema: { anyOf: [{ enum: values }, { type: 'string', pattern: SUBSTITUTION }] },
    values: values.map((value) => `\`${value}\``).join(', '),
  }
  return field(meaning, (input) => {
    const found = values.find((value) => value === plain(input))
    return found === undefined ? { wrong: `must be one of ${values.join(', ')}; ${shown(input)}` } : { value: found }
  })
}

/** A field with a further demand; `fault` says what is wrong and what would be right, `demand` what may be written then. */
export function checked<T>(
  inner: Field<T>,
  fault: (value: T) => string | undefined,
  demand: Partial<Meaning> = {},
): Field<T> {
  const demanding = inner.check((context) => {
    const message = fault(context.value)
    if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value })
  })
  const facts = factsOf(inner)
  return meant(demanding, { ...facts, ...demand, schema: { ...facts.schema, ...demand.schema } })
}

/** Says what holds where a field is not set, if something else than the field itself puts that in. */
export function byDefault<F extends z.ZodOptional>(field: F, written: string): F {
  return meant(field, { ...factsOf(field), byDefault: written })
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/

function durationMs(input: unknown): number | undefined {
  if (typeof input === 'number') return input * 1000
  const value = plain(input)
  const [, amount, unit] = typeof value === 'string' ? (DURATION.exec(value) ?? []) : []
  return amount === undefined ? undefined : Number(amount) * (UNIT_MS[unit ?? 's'] ?? NaN)
}

/** A time such as `30m`, `60s`, `500ms`, `24h`, `7d`, or a number of seconds. The value is in milliseconds. */
export function duration(minMs: number, maxMs: number): Field<number> {
  const meaning: Meaning = {
    schema: { type: ['string', 'number'], minimum: minMs / 1000, maximum: maxMs / 1000, ...pattern(DURATION.source) },
    values: `time, ${inWords(minMs)} to ${inWords(maxMs)}`,
    spell: (value) => (typeof value === 'number' ? inWords(value) : value),
  }
  return field(meaning, (input) => {
    const ms = durationMs(input)
    if (ms !== undefined && ms >= minMs && ms <= maxMs) return { value: ms }
    const example = 'write it as 30m, 60s, 500ms, 24h or a number of seconds'
    return { wrong: `must be a time from ${inWords(minMs)} to ${inWords(maxMs)}, ${shown(input)}; ${example}` }
  })
}

/** The largest unit that divides a time. */
export function inWords(ms: number): string {
  if (ms === 0) return '0s'
  const [unit, size] = Object.entries(UNIT_MS).findLast(([, each]) => ms % each === 0) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

export function list<T>(item: Field<T>): Field<T[]> {
  const error = (issue: { input?: unknown }) =>
    issue.input === undefined ? REQUIRED : `must be a list, ${shown(issue.input)}`
  const { schema, values } = factsOf(item)
  return meant(z.array(item, { error }), { schema: { type: 'array', items: schema }, values: `list: ${values}` })
}

/** What a glob of each kind looks like at least. */
const GLOB_FORMS: Readonly<Record<GlobKind, string>> = {
  host: `^[^/]{1,${GLOB_CHARACTERS}}$`,
  path: `^/[\\s\\S]{0,${GLOB_CHARACTERS - 1}}$`,
  tool: `^[\\s\\S]{1,${GLOB_CHARACTERS}}$`,
}

/** A list of globs, none of which matches everything. */
export function globs(kind: GlobKind): Field<string[]> {
  const meaning = { schema: { type: 'string', ...pattern(GLOB_FORMS[kind]) }, values: `globs of ${kind}s` }
  return list(
    field(meaning, (input) => {
      const read = readText(input, false)
      const why = 'value' in read ? footgun(read.value, kind) : undefined
      if (why === undefined) return read
      return {
        wrong:
          input instanceof Substituted
            ? `comes from ${input.source}, whose value is no ${kind} glob that may stand here`
            : why,
      }
    }),
  )
}

type Shape = Readonly<Record<string, z.ZodType>>
type Output<S extends Shape> = z.output<z.ZodObject<S, z.core.$strict>>

/** A mapping without other keys. Empty (`name:` with nothing below) is the same as `{}`. */
export function strictObject<S extends Shape>(known: S): Field<Output<S>> {
  const unknownKey = z.unknown().transform((input, context) => {
    context.issues.push({ code: 'custom', message: UNKNOWN_KEY, params: { known: Object.keys(known) }, input })
    return z.NEVER
  })
  const object = z.object(known).catchall(unknownKey) as unknown as z.ZodType<Output<S>>
  const meaning = { schema: mappingOf(known), values: 'mapping', fields: known }
  const mapping = field<unknown>(meaning, (input) => {
    if (input === null) return { value: {} }
    const mapped = typeof input === 'object' && !Array.isArray(input) && !(input instanceof Substituted)
    return mapped ? { value: input } : { wrong: `must be a mapping, ${shown(input)}` }
  })
  return meant(mapping.pipe(object), meaning)
}
