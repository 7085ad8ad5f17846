import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

/** What a field takes, said beside its check: for editors, and for the tables of the documentation. */
export interface Meaning {
  /** Never refuses what the check takes. What the check refuses beyond it, only code can see. */
  readonly schema: JsonSchema
  /** The same in a few words. */
  readonly values: string
  /** A value as a file spells it, where that is something else. */
  readonly spell?: (value: unknown) => unknown
  /** The fields of a mapping. */
  readonly fields?: Readonly<Record<string, z.ZodType>>
}

export interface Facts extends Meaning {
  readonly description: string | undefined
  readonly required: boolean
  /** As a file would spell it; undefined when there is none. */
  readonly byDefault: unknown
}

const SAID = new WeakMap<object, Facts>()

export function meant<F extends z.ZodType>(field: F, meaning: Meaning | Facts): F {
  SAID.set(field, { description: undefined, required: true, byDefault: undefined, ...meaning })
  return field
}

/** What is known of a field, through everything that was wrapped around it. */
export function factsOf(field: z.ZodType): Facts {
  const facts = said(field) ?? wrapped(field)
  return { ...facts, description: field.description ?? facts.description }
}

/** A field to which a check or a description was added is a copy, and means the same. */
function said(field: z.core.$ZodType): Facts | undefined {
  const original = field._zod.parent
  return SAID.get(field) ?? (original === undefined ? undefined : said(original))
}

function wrapped(field: z.ZodType): Facts {
  if (field instanceof z.ZodUnknown) return ANYTHING
  if (field instanceof z.ZodPipe) return factsOf(field.def.in as z.ZodType)
  if (field instanceof z.ZodOptional || field instanceof z.ZodPrefault) {
    return { ...factsOf(field.def.innerType as z.ZodType), required: false }
  }
  if (!(field instanceof z.ZodDefault))
    throw new Error(`a field of the kind ${field.def.type} does not say what it takes`)
  const inner = factsOf(field.def.innerType as z.ZodType)
  const value: unknown = field.def.defaultValue
  return { ...inner, required: false, byDefault: inner.spell === undefined ? value : inner.spell(value) }
}

const ANYTHING: Facts = {
  schema: {},
  values: 'anything',
  description: undefined,
  required: true,
  byDefault: undefined,
}

export function jsonSchemaOf(field: z.ZodType): JsonSchema {
  const { description, schema, byDefault } = factsOf(field)
  return {
    ...(description === undefined ? {} : { description }),
    ...schema,
    // An editor writes the default for whoever picks the key, and an empty text is no use there.
    ...(byDefault === undefined || byDefault === '' ? {} : { default: byDefault }),
  }
}

/** A mapping of these fields and no others. With nothing below its key it is empty. */
export function mappingOf(fields: Readonly<Record<string, z.ZodType>>): JsonSchema {
  const required = Object.keys(fields).filter((key) => fields[key] !== undefined && factsOf(fields[key]).required)
  return {
    type: required.length > 0 ? 'object' : ['object', 'null'],
    properties: Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, jsonSchemaOf(field)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}
