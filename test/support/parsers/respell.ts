import fc from 'fast-check'
import { expect } from 'vitest'

/** Other spellings of the same JSON: white space, the order of keys, escapes. Every reader reads the same value. */
export function respellings(value: unknown): fc.Arbitrary<string> {
  return fc.infiniteStream(fc.nat({ max: 7 })).map((dice) => write(value, () => dice.next().value as number))
}

/** Whatever changes in a message's spelling and not in its meaning, it is read the same. Gives what it is read as. */
export function expectAnySpelling<T>(value: unknown, read: (text: string) => T): T {
  const expected = read(JSON.stringify(value))
  fc.assert(
    fc.property(respellings(value), (text) => {
      expect(read(text)).toEqual(expected)
    }),
    { numRuns: 60 },
  )
  return expected
}

type Roll = () => number

function write(value: unknown, roll: Roll): string {
  return `${space(roll)}${bare(value, roll)}${space(roll)}`
}

function bare(value: unknown, roll: Roll): string {
  if (typeof value === 'string') return quoted(value, roll)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((each) => write(each, roll)).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (roll() > 3) members.reverse()
  return `{${members.map(([key, member]) => `${space(roll)}${quoted(key, roll)}${space(roll)}:${write(member, roll)}`).join(',')}}`
}

const space = (roll: Roll): string => ['', '', '', '', ' ', '\n', '\t', '\r\n'][roll()] ?? ''

function quoted(text: string, roll: Roll): string {
  const written = [...text].map((letter) => {
    const plain = JSON.stringify(letter).slice(1, -1)
    if (roll() > 0) return plain
    return letter === '/'
      ? '\\/'
      : letter.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  })
  return `"${written.join('')}"`
}
