import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalArguments, canonicalText } from './canonical.ts'

describe('equal arguments have one text', () => {
  test.each<[string, string, unknown]>([
    ['the order of keys', '{"b":1,"a":{"d":2,"c":3}}', { a: { c: 3, d: 2 }, b: 1 }],
    ['white space', ' {\n "a" : [ 1 , 2 ] }\t', { a: [1, 2] }],
    ['the spelling of numbers', '{"a":1.0,"b":10e-1,"c":-0}', { a: 1, b: 1, c: 0 }],
    ['escapes', String.raw`{"\u0061":"\u00e9\/"}`, { a: 'é/' }],
    ['none, written as nothing', ' ', {}],
    ['none, sent as nothing', '{}', undefined],
    ['a key that objects treat specially', '{"__proto__":{"b":1,"a":2}}', JSON.parse('{"__proto__":{"a":2,"b":1}}')],
  ])('%s', (_, written, sent) => {
    expect(canonicalText(written)).toBe(canonicalArguments(sent))
  })

  test.each<[string, string, unknown]>([
    ['another value', '{"a":1}', { a: 2 }],
    ['a number as text', '{"a":"1"}', { a: 1 }],
    ['another order in a list', '{"a":[1,2]}', { a: [2, 1] }],
    ['one more key', '{"a":1,"b":null}', { a: 1 }],
    ['a special key with something else', '{"__proto__":{"a":1}}', JSON.parse('{"__proto__":{"a":2}}')],
  ])('not: %s', (_, written, sent) => {
    expect(canonicalText(written)).not.toBe(canonicalArguments(sent))
  })

  test.each([['{"a":1'], ['TX-991'], ["{'a':1}"], ['{"a":1} {"a":1}']])('%s is no JSON', (text) => {
    expect(canonicalText(text)).toBeUndefined()
  })

  test('nesting that no stack holds is no arguments', () => {
    expect(canonicalText('['.repeat(100_000) + ']'.repeat(100_000))).toBeUndefined()
  })

  test('however a value is written', () => {
    const dice = fc.infiniteStream(fc.nat(1_000))
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), dice, (value, thrown) => {
        // No arguments and `null` are the same.
        fc.pre(value !== null)
        expect(canonicalText(spell(value, () => thrown.next().value as number))).toBe(canonicalArguments(value))
      }),
      { numRuns: 300 },
    )
  })
})

/** The value as JSON, in one of the many ways in which it can be written. */
function spell(value: unknown, roll: () => number): string {
  const gap = [' ', '', '\n\t', ''][roll() % 4] ?? ''
  if (typeof value === 'number') return gap + spellNumber(value, roll)
  if (typeof value !== 'object' || value === null) return gap + JSON.stringify(value)
  if (Array.isArray(value)) return `${gap}[${value.map((item) => spell(item, roll)).join(',')}${gap}]`
  const members = Object.entries(value)
    .map(([key, item]) => ({ at: roll(), text: `${gap}${JSON.stringify(key)}${gap}:${spell(item, roll)}` }))
    .sort((a, b) => a.at - b.at)
  return `{${members.map(({ text }) => text).join(',')}}${gap}`
}

function spellNumber(value: number, roll: () => number): string {
  const plain = JSON.stringify(value)
  if (!Number.isInteger(value) || value === 0 || plain.includes('e')) return plain
  return [plain, `${plain}.0`, `${plain}e0`, `${plain}0e-1`][roll() % 4] ?? plain
}
