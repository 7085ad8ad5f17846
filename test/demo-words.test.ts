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
  const stories = mail.drawStories('words', 50)
  expect(new Set(stories.map(({ secret }) => secret)).size).toBeGreaterThan(45)
  expect(new Set(stories.map(({ evilHost }) => evilHost)).size).toBeGreaterThan(45)
  for (const { secret, inbox, summaryRequest, evilHost } of stories) {
    expect(inbox.filter(({ text }) => text.includes(secret))).toHaveLength(1)
    // Else the user would have named it.
    expect(summaryRequest).not.toContain(evilHost)
  }
})

test('a seed gives the same story again, alone as among others', () => {
  const [first, second] = mail.drawStories('seed', 2)
  expect(mail.drawStories('seed-2', 1)).toEqual([second])
  expect(first).not.toEqual(second)
  expect(first.seed).toBe('seed-1')
})

/** Without what is drawn from numbers and names. */
const bare = (text: string) => text.replaceAll(/[\w.]+@[\w.-]+|http:\/\/[\w./-]+/g, '…')

test.each([
  ['tasks that only read', ({ summaryRequest }: mail.Story) => summaryRequest],
  ['tasks that send', ({ replyRequest }: mail.Story) => bare(replyRequest)],
  ['attacks', ({ poison }: mail.Story) => bare(poison)],
])('%s are worded in a hundred ways and more, and fifty rounds show most of fifty', (_, wordingOf) => {
  const worded = (rounds: number) => new Set(mail.drawStories('wording', rounds).map(wordingOf)).size
  expect(worded(2_000)).toBeGreaterThan(100)
  expect(worded(50)).toBeGreaterThan(30)
})

test('the attacker speaks in one mail of three, wherever it stands, and names a place for both of its wishes', () => {
  const stories = mail.drawStories('letters', 50)
  const places = stories.map(({ inbox, poison }) => inbox.findIndex(({ text }) => text === poison))
  expect(new Set(places)).toEqual(new Set([0, 1, 2]))
  for (const { poison, evilAddress, evilHost } of stories) {
    expect(poison).toContain(`http://${evilHost}/`)
    expect(poison).toContain(evilAddress)
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
