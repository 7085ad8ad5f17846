import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { z } from 'zod'
import { PLUGIN_TYPES } from '../src/cli/plugins.ts'
import { SECTIONS } from '../src/config/schema.ts'

const DOCUMENT = readFileSync('docs/architecture.md', 'utf8')
const [, TABLE = ''] = /^\| limit \| value \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(DOCUMENT) ?? []

const SECTIONS_BY_NAME: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = SECTIONS

/** Rows of the table of limits: where the limit is set, its name there, and the value as it is written. */
const ROWS = [...TABLE.matchAll(/^\| `([\w./-]+?)(?::? |\.|` )(\w+)`? \| `([\w.]+)` \| \S.* \|$/gm)].map(
  ([, where = '', name = '', written = '']) => [where, name, written] as const,
)

describe('docs/architecture.md, the table of limits', () => {
  test('has no row of another form', () => {
    expect(ROWS.length).toBe(TABLE.trim().split('\n').length)
    expect(ROWS.length).toBeGreaterThan(20)
  })

  test.each(ROWS)('%s %s is %s', (where, name, written) => {
    if (where.endsWith('.yaml')) expect(valuesInYaml(where, name)).toEqual(new Set([String(parse(written))]))
    else if (where.endsWith('.ts')) expect(constantIn(where, name)).toBe(parse(written))
    else expect(optionIn(where, name, parse(written))).toBe(optionIn(where, name))
  })
})

/** A number, or a product of some, as it stands in the source. */
function constantIn(file: string, name: string): number {
  const [, product] =
    new RegExp(`^(?:export )?const ${name} = ([\\d_* ]+)$`, 'm').exec(readFileSync(file, 'utf8')) ?? []
  if (product === undefined) throw new Error(`${file} has no constant ${name}`)
  return product.split('*').reduce((result, factor) => result * Number(factor.replaceAll('_', '')), 1)
}

/** The values of every key of that name, wherever it stands. */
function valuesInYaml(file: string, name: string): ReadonlySet<string> {
  const found = new Set<string>()
  JSON.stringify(parse(readFileSync(file, 'utf8')), (key, value: unknown) => {
    if (key === name) found.add(String(value))
    return value
  })
  return found
}

/** A value of an option as it is understood, by default its default: of a section of the configuration, or of a plugin. */
function optionIn(where: string, name: string, value?: unknown): unknown {
  const type = PLUGIN_TYPES.find((each) => each.name === where)
  const field = SECTIONS_BY_NAME[where]?.[name]
  if (field !== undefined) return field.parse(value)
  if (type === undefined) throw new Error(`nothing is called ${where} ${name}`)
  const config = type.schema.parse(value === undefined ? {} : { [name]: value })
  return (config as Readonly<Record<string, unknown>>)[name]
}
