import { describe, expect, test } from 'vitest'
import { Intents } from './intents.ts'
import { LIMITS } from './limits.ts'

type Said = readonly [text: string, follows: boolean]

function after(...said: Said[]): Intents {
  const intents = new Intents()
  for (const [text, follows] of said) intents.say(text, follows)
  return intents
}

describe('what counts as one intent', () => {
  test.each<[string, Said[], number, string[]]>([
    ['nothing was said', [], 1, []],
    ['one message', [['read my mail', false]], 1, ['read my mail']],
    [
      'a new message replaces the old one',
      [
        ['one', false],
        ['two', false],
      ],
      1,
      ['two'],
    ],
    [
      'more turns, newest first',
      [
        ['one', false],
        ['two', false],
        ['three', false],
      ],
      2,
      ['three', 'two'],
    ],
    [
      'fewer turns than asked for',
      [
        ['one', false],
        ['two', false],
      ],
      9,
      ['two', 'one'],
    ],
    [
      'follow-ups join the last message that was none',
      [
        ['hello', false],
        ['refund my order', false],
        ['yes', true],
        ['TX-991', true],
      ],
      2,
      ['refund my order\nyes\nTX-991', 'hello'],
    ],
    [
      'the next message that follows nothing ends it',
      [
        ['refund', false],
        ['yes', true],
        ['thanks, bye', false],
      ],
      2,
      ['thanks, bye', 'refund\nyes'],
    ],
    ['a follow-up to nothing stands alone', [['yes', true]], 1, ['yes']],
    [
      'a message without text says nothing',
      [
        ['read my mail', false],
        ['', false],
        [' \n', true],
      ],
      2,
      ['read my mail'],
    ],
  ])('%s', (_, said, turns, intents) => {
    expect(after(...said).newestFirst(turns)).toEqual(intents)
  })
})

describe('limits', () => {
  test('a message at the limit stays whole; beyond it its beginning and end stay', () => {
    const whole = 'a'.repeat(LIMITS.userTextChars)
    expect(after([whole, false]).newestFirst(1)).toEqual([whole])
    const long = `BEGIN${'x'.repeat(LIMITS.userTextChars)}END`
    const [kept] = after([long, false]).newestFirst(1)
    expect(kept?.length).toBeLessThanOrEqual(LIMITS.userTextChars)
    expect(kept).toMatch(/^BEGIN.*\[\.\.\.\].*END$/s)
  })

  test('a long chain of follow-ups keeps what was asked and what was said last', () => {
    const intents = after(['the task', false])
    for (let i = 0; i < 200; i++) intents.say(`answer ${String(i)}`, true)
    const messages = intents.newestFirst(1)[0]?.split('\n')
    expect(messages).toHaveLength(LIMITS.intentMessages)
    expect(messages?.[0]).toBe('the task')
    expect(messages?.at(-1)).toBe('answer 199')
  })

  test('long follow-ups stay within the characters of one intent', () => {
    const intents = after(['the task', false])
    for (let i = 0; i < 10; i++) intents.say(`${String(i)}${'z'.repeat(LIMITS.userTextChars - 1)}`, true)
    const text = intents.newestFirst(1)[0]
    expect(text?.length).toBeLessThanOrEqual(LIMITS.intentChars + LIMITS.intentMessages)
    expect(text).toMatch(/^the task\n9z/)
  })

  test('old intents go, the newest stays', () => {
    const intents = new Intents()
    for (let i = 0; i < 100; i++) intents.say(String(i), false)
    expect(intents.newestFirst(1000)).toHaveLength(LIMITS.intents)
    expect(intents.newestFirst(1)).toEqual(['99'])
  })
})
