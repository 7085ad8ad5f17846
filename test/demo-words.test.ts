import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drawStory, WORD_LISTS } from '../demo/story.ts'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => [name, readFileSync(join('src', name), 'utf8').toLowerCase()] as const)

test('the source knows no word that the demo draws from', () => {
  expect(sources.length).toBeGreaterThan(20)
  const known = WORD_LISTS.flat().flatMap((word) =>
    sources
      .filter(([, text]) => new RegExp(`\\b${word.toLowerCase()}\\b`).test(text))
      .map(([name]) => `${word}: ${name}`),
  )
  expect(known).toEqual([])
})

test('each run has a secret and an evil host of its own', () => {
  const stories = Array.from({ length: 50 }, drawStory)
  expect(new Set(stories.map(({ secret }) => secret)).size).toBeGreaterThan(45)
  expect(new Set(stories.map(({ evilHost }) => evilHost)).size).toBeGreaterThan(45)
  for (const { secret, inbox, summaryRequest, evilHost } of stories) {
    expect(inbox.filter(({ text }) => text.includes(secret))).toHaveLength(1)
    // Else the user would have named it.
    expect(summaryRequest).not.toContain(evilHost)
  }
})
