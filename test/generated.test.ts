import { describe, expect, test } from 'vitest'
import { GENERATED, read, withTables } from '../scripts/generated.ts'

test.each(GENERATED)('$file is what the source says; if not: npm run generate', ({ file, text }) => {
  expect(read(file)).toBe(text())
})

describe('tables in a document', () => {
  const document = 'before\n<!-- npm run generate: log -->\n| stale |\n<!-- end -->\nafter\n'

  test('are written anew between their marks, and nothing else is', () => {
    const written = withTables(document)
    expect(written).toMatch(/^before\n<!-- npm run generate: log -->\n\n\| option [^]*\n<!-- end -->\nafter\n$/)
    expect(written).toContain('| `log.level` | `info` | `debug`, `info`, `warn`, `error` | ')
    expect(written).not.toContain('stale')
    expect(withTables(written)).toBe(written)
  })

  test('have a name that is known', () => {
    expect(() => withTables(document.replace('log', 'logs'))).toThrow('there is no table logs')
  })
})
