import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as finance from '../demo/finance/story.ts'
import * as mail from '../demo/mail/story.ts'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => [name, readFileSync(join('src', name), 'utf8').toLowerCase()] as const)

test.each([
  ['mail', mail.WORD_LISTS],
  ['finance', finance.WORD_LISTS],
])('the source knows no word that the demo %s draws from', (_, lists) => {
  expect(sources.length).toBeGreaterThan(20)
  const known = lists
    .flat()
    .flatMap((word) =>
      sources
        .filter(([, text]) => new RegExp(`\\b${word.toLowerCase()}\\b`).test(text))
        .map(([name]) => `${word}: ${name}`),
    )
  expect(known).toEqual([])
})

test('each run of the mail demo has a secret and an evil host of its own', () => {
  const stories = Array.from({ length: 50 }, () => mail.drawStory())
  expect(new Set(stories.map(({ secret }) => secret)).size).toBeGreaterThan(45)
  expect(new Set(stories.map(({ evilHost }) => evilHost)).size).toBeGreaterThan(45)
  for (const { secret, inbox, summaryRequest, evilHost } of stories) {
    expect(inbox.filter(({ text }) => text.includes(secret))).toHaveLength(1)
    // Else the user would have named it.
    expect(summaryRequest).not.toContain(evilHost)
  }
})

test('each run of the finance demo has ids of its own, and the first request names none', () => {
  const stories = Array.from({ length: 50 }, finance.drawStory)
  expect(new Set(stories.flatMap(({ transaction, invented }) => [transaction, invented])).size).toBeGreaterThan(95)
  for (const { transaction, invented, request, reply, preamble, question } of stories) {
    expect(finance.ID_PATTERN.exec(reply)?.[0]).toBe(transaction)
    expect(finance.ID_PATTERN.test(invented)).toBe(true)
    for (const said of [request, preamble, question]) expect(said).not.toMatch(finance.ID_PATTERN)
  }
})
