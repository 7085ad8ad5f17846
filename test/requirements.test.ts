import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { REQUIREMENTS } from './requirements.ts'

const CITATION = /\/\/ req: (.+)$/gm

const known = new Set(REQUIREMENTS.map(({ id }) => id))
const cited = citations()

describe('what the reference documents demand', () => {
  test('has an id of its own for each demand', () => {
    expect(known.size).toBe(REQUIREMENTS.length)
  })

  test.each(REQUIREMENTS)('$id is proven by a test that cites it: $says', ({ id }) => {
    expect([...cited.keys()]).toContain(id)
  })

  test.each([...cited])('%s, which a test cites, is a demand', (id, file) => {
    expect(known, `cited in ${file}`).toContain(id)
  })
})

function citations(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  for (const file of files.filter((name) => name.endsWith('.test.ts'))) {
    for (const [, ids = ''] of readFileSync(file, 'utf8').matchAll(CITATION)) {
      for (const id of ids.split(',')) found.set(id.trim(), file)
    }
  }
  return found
}
