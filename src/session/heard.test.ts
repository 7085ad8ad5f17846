import { describe, expect, test } from 'vitest'
import { Heard } from './heard.ts'
import { LIMITS } from './limits.ts'

describe('Heard', () => {
  test('a ring, newest last; a text that comes again is held once', () => {
    const heard = new Heard(3, { chars: 0 })
    for (const text of ['a', 'b', 'c', 'a', '', 'd']) heard.add(text)
    expect(heard.texts()).toEqual(['c', 'a', 'd'])
  })

  test('a text at the limit stays whole, beyond it it is cut', () => {
    const heard = new Heard(3, { chars: 0 })
    heard.add('x'.repeat(LIMITS.heardTextChars))
    heard.add('y'.repeat(LIMITS.heardTextChars + 1))
    const lengths = heard.texts().map((text) => text.length)
    expect(lengths[0]).toBe(LIMITS.heardTextChars)
    expect(lengths[1]).toBeLessThanOrEqual(LIMITS.heardTextChars)
    expect(heard.texts()[1]).toContain('[...]')
  })

  test('all texts of a session stay within its characters', () => {
    const total = { chars: 0 }
    const heard = new Heard(500, total)
    for (let i = 0; i < 20; i++) heard.add(String(i).padEnd(LIMITS.heardTextChars, '.'))
    expect(heard.texts()).toHaveLength(LIMITS.heardChars / LIMITS.heardTextChars)
    expect(heard.texts().at(-1)).toMatch(/^19/)
    expect(total.chars).toBe(LIMITS.heardChars)
  })

  test('when all sessions together hold too much, one that hears something new keeps little', () => {
    const total = { chars: LIMITS.heardCharsOverall }
    const heard = new Heard(500, total)
    for (let i = 0; i < 9; i++) heard.add(String(i).padEnd(1024, '.'))
    expect(heard.texts()).toHaveLength(LIMITS.heardCharsCrowded / 1024)
    heard.release()
    expect(total.chars).toBe(LIMITS.heardCharsOverall)
  })
})
