/** JSON Schema's types, and what specifications of other origins call them. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['str', 'string'],
  ['text', 'string'],
  ['integer', 'integer'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['number', 'number'],
  ['float', 'number'],
  ['double', 'number'],
  ['boolean', 'boolean'],
  ['bool', 'boolean'],
  ['array', 'array'],
  ['list', 'array'],
  ['tuple', 'array'],
  ['object', 'object'],
  ['dict', 'object'],
  ['map', 'object'],
  ['null', 'null'],
  ['none', 'null'],
])

/** The types that a schema allows; undefined when it says nothing that we understand, which allows all. */
export function typesOf(declared: unknown, nullable: unknown): readonly string[] | undefined {
  const names: readonly unknown[] = Array.isArray(declared) ? declared : [declared]
  const types = new Set<string>()
  for (const name of names) {
    const type = typeof name === 'string' ? TYPES.get(name.toLowerCase()) : undefined
    if (type === undefined) return undefined
    types.add(type)
  }
  if (nullable === true) types.add('null')
  return types.size === 0 ? undefined : [...types]
}
