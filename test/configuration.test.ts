import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { z } from 'zod'
import { PLUGIN_TYPES } from '../src/cli/plugins.ts'
import { readConfig } from '../src/config/load.ts'
import { factsOf } from '../src/config/meaning.ts'
import { DEFAULT_EXT_PROC_ADDRESS, SECTIONS } from '../src/config/schema.ts'

const DOCUMENT = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')

/** Rows of the tables of options: name and default as they are written. */
const ROWS = [...DOCUMENT.matchAll(/^\| `(\w+\.[\w.]+)` \| (`[^`]+`|not set|required) \| [^|]+ \| \S.* \|$/gm)].map(
  ([, name = '', written = '']) => [name, written.replaceAll('`', '')] as const,
)

const FIELDS = new Map(Object.entries(SECTIONS).flatMap(([section, fields]) => fieldsIn(fields, section)))

function fieldsIn(
  fields: Readonly<Record<string, z.ZodType>>,
  at: string,
): readonly (readonly [name: string, field: z.ZodType])[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const name = `${at}.${key}`
    return [[name, field] as const, ...fieldsIn(factsOf(field).fields ?? {}, name)]
  })
}

describe('docs/configuration.md', () => {
  test('has every option once, and no other', () => {
    expect(ROWS.map(([name]) => name)).toEqual([...FIELDS.keys()])
  })

  test.each(ROWS)('says the default of %s: %s', (name, written) => {
    const field = FIELDS.get(name)
    if (written === 'required') {
      expect(field?.safeParse(undefined).success).toBe(false)
      return
    }
    const value = field?.parse(undefined) ?? (name === 'listener.ext_proc_addr' ? DEFAULT_EXT_PROC_ADDRESS : undefined)
    expect(written === 'not set' ? undefined : field?.parse(parse(written))).toEqual(value)
  })

  test('has an example that is valid', () => {
    const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(DOCUMENT) ?? []
    const environment = { LLM_ENDPOINT: 'http://127.0.0.1:11434' }
    expect(readConfig(yaml, 'example', { environment, types: PLUGIN_TYPES })).toMatchObject({ ok: true })
  })
})

test('the configuration in README.md is valid', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readme) ?? []
  expect(readConfig(yaml, 'README.md', { environment: {}, types: PLUGIN_TYPES })).toMatchObject({ ok: true })
})
