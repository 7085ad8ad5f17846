import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evidenceFrom } from '../evidence.ts'
import { saidAnywhere, saidFor } from '../support.ts'
import { holds, searchText, wantedWords, wordsIn } from '../text.ts'
import { isKnown } from '../values/known.ts'
import type { Counting } from './said.ts'
import { Stock } from './stock.ts'

const word = fc.oneof(
  fc.constantFrom(
    'a',
    'ab',
    'pay',
    'paid',
    'payment',
    'order',
    'orders',
    '12',
    '4711',
    'ORD4711',
    '订单',
    'é',
    'NL12 3456',
  ),
  fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', ' ', '订'), maxLength: 8 }),
)
const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '))
const counting: fc.Arbitrary<Counting> = fc.oneof(
  fc.record({ from: fc.constantFrom('user', 'system', 'assistant'), text, askedText: fc.constant(undefined) }),
  fc.record({ from: fc.constant('tool' as const), text, askedText: fc.option(text, { nil: undefined }) }),
)

function evidenceOf(stock: Stock, texts: readonly Counting[]) {
  const said = texts.map((each) => stock.take(each))
  return evidenceFrom(stock, said, false, undefined)
}

describe('what the index finds is what stands in the texts one by one', () => {
  test('whatever else is in the stock', () => {
    fc.assert(
      fc.property(fc.array(counting), fc.array(counting), word, (others, own, value) => {
        const stock = new Stock()
        evidenceOf(stock, others)
        const evidence = evidenceOf(stock, own)
        // The index has been made by now, and grows.
        evidence.all.hasWord('a')
        const wanted = wantedWords(wordsIn(value))
        const counted = own.filter(({ askedText }) => askedText === undefined || !holds(searchText(askedText), wanted))
        expect(evidence.all.holds(wanted)).toBe(own.some((each) => holds(searchText(each.text), wanted)))
        if (wanted.words.length > 0)
          expect(saidAnywhere(value, saidFor(value, evidence))).toBe(
            counted.some((each) => holds(searchText(each.text), wanted)),
          )
      }),
      { numRuns: 500 },
    )
  })

  test('words in another form too', () => {
    fc.assert(
      fc.property(fc.array(counting), fc.array(counting), word, (others, own, value) => {
        const [first = 'a'] = wordsIn(value)
        const stock = new Stock()
        expect(isKnown(first, evidenceOf(stock, others).all)).toBe(isKnown(first, evidenceOf(new Stock(), others).all))
        expect(isKnown(first, evidenceOf(stock, own).all)).toBe(isKnown(first, evidenceOf(new Stock(), own).all))
      }),
      { numRuns: 500 },
    )
  })
})

test('equal texts are read once, and apart where someone else said them or another call brought them', () => {
  const stock = new Stock()
  const base = { from: 'tool', text: 'AB-1234', askedText: undefined } as const
  const first = stock.take(base)
  expect(stock.take({ ...base })).toBe(first)
  for (const other of [{ from: 'user' as const }, { askedText: '{}' }, { text: 'AB-1235' }])
    expect(stock.take({ ...base, ...other })).not.toBe(first)
  expect(stock.characters).toBe(4 * 'AB-1234'.length + '{}'.length)
})

test('what many calls were made with is read once', () => {
  const stock = new Stock()
  const askedText = JSON.stringify({ query: 'AB-1234' })
  const said = ['one', 'two'].map((each) => stock.take({ from: 'tool', text: each, askedText }))
  expect(said[0]?.asked).toBe(said[1]?.asked)
  expect(stock.characters).toBe('onetwo'.length + askedText.length)
})
