import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { schemaText } from '../src/cli/schema.ts'
import { type Facts, factsOf } from '../src/config/meaning.ts'
import { ENTRY_FIELDS, SECTIONS } from '../src/config/schema.ts'
import { OF_THE_CHART } from './chart.ts'

/** A file of which all or a part is made from the source. */
export interface Generated {
  readonly file: string
  /** What the file should hold. */
  readonly text: () => string
}

const CONFIGURATION = 'docs/configuration.md'

export const GENERATED: readonly Generated[] = [
  { file: 'docs/plumbline.schema.json', text: () => `${schemaText()}\n` },
  { file: CONFIGURATION, text: () => withTables(read(CONFIGURATION)) },
  ...OF_THE_CHART,
]

export const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

type Fields = Readonly<Record<string, z.ZodType>>

const TABLES: Readonly<Record<string, () => string>> = {
  entry: () => table(ENTRY_FIELDS, ''),
  ...Object.fromEntries(Object.entries(SECTIONS).map(([name, fields]) => [name, () => table(fields, `${name}.`)])),
}

/** Each table stands between two marks; the prose around them is written by hand. */
export function withTables(document: string): string {
  return document.replaceAll(
    /(<!-- npm run generate: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      const make = TABLES[name]
      if (make === undefined) throw new Error(`there is no table ${name}`)
      return `${begin}\n${make()}\n\n${end}`
    },
  )
}

function table(fields: Fields, prefix: string): string {
  return ['| option | default | values | what it is |', '|---|---|---|---|', ...rows(fields, prefix)].join('\n')
}

/** The fields of a mapping follow it. */
function rows(fields: Fields, prefix: string): readonly string[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const facts = factsOf(field)
    const row = [`\`${prefix}${key}\``, defaultOf(facts), facts.values, facts.description ?? '']
    return [`| ${row.map(cell).join(' | ')} |`, ...rows(facts.fields ?? {}, `${prefix}${key}.`)]
  })
}

function defaultOf({ required, byDefault }: Facts): string {
  if (byDefault !== undefined) return `\`${typeof byDefault === 'string' ? byDefault : JSON.stringify(byDefault)}\``
  return required ? 'required' : 'not set'
}

const cell = (text: string) => text.replaceAll('|', '\\|')
