import { describe, expect, test } from 'vitest'
import { readmeOf } from '../../../test/support/parsers/readme.ts'
import { mcpParserType } from './index.ts'

const readme = readmeOf(import.meta.dirname, mcpParserType)

describe('the README', () => {
  test('has examples', () => {
    expect(readme.examples.length).toBeGreaterThan(1)
  })

  test.each(readme.examples)('has an example that loads: %s', (yaml) => {
    expect(readme.load(yaml)).toMatchObject({ ok: true })
  })

  test.each(Object.entries(mcpParserType.schema.parse({})))('has the field %s with its default', (name, value) => {
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    expect(readme.text).toContain(`| \`${name}\` | \`${shown}\` |`)
  })
})
