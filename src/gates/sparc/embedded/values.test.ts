import { describe, expect, test } from 'vitest'
import { issuesOf, reflect, type Asked } from '../../../../test/support/gates/reflect.ts'
import type { ReflectedMessage } from '../reflector.ts'

const said = (role: string, content: string): ReflectedMessage => ({ role, content })
const TODAY = said('system', 'You are a helpful assistant. Today is 2026-03-04.')

/** The findings of one required argument of a tool that fits everything. */
async function findingsOf(name: string, value: unknown, user: string, schema: object = {}, more: Partial<Asked> = {}) {
  const asked = { args: { [name]: value }, properties: { [name]: schema }, required: [name], user, ...more }
  return (await issuesOf(asked)).map(({ finding }) => finding)
}

const after = (...messages: readonly ReflectedMessage[]): Partial<Asked> => ({ messages })

describe('a number that was said, or follows from what was said', () => {
  test.each<[string, string, number, string]>([
    ['in digits', 'length', 12, 'it is 12 long'],
    ['grouped', 'area', 1840, 'the area is 1,840 square feet'],
    ['in a list without blanks', 'items', 840, 'take 1,840,2'],
    ['with a currency', 'price', 99.5, 'it costs $99.50'],
    ['as an exponent', 'charge', 0.000_002, 'the charge is 2e-6'],
    ['with a prefix', 'inductance', 0.05, 'an inductor of 50mH'],
    ['with a scale', 'population', 213_000_000, 'the population is 213 million'],
    ['with a scale in one sign', 'price', 5000, 'it is $5k'],
    ['in words', 'steps', 305, 'take three hundred and five of the steps'],
    ['in tens and ones', 'age', 42, 'I am forty two'],
    ['as an ordinal', 'floor', 3, 'on the third floor'],
    ['as half', 'hours', 1.5, 'an hour and a half of that'],
    ['as a fraction', 'share', 0.75, 'about 3/4 of that'],
    ['as percent', 'rate', 0.05, 'the rate is 5%'],
    ['as percent in a word', 'rate', 0.05, 'at 5 percent of that'],
    ['by how often', 'compounding', 4, 'compounded quarterly'],
    ['next to a bound', 'max_age', 4, 'those that are less than 5'],
    ['in another unit', 'distance_m', 5000, 'it is 5 km away'],
    ['in another unit of time', 'minutes', 120, 'for two hours'],
    ['in degrees', 'temperature', 77, 'it is 25 degrees celsius'],
    ['in feet and inches', 'height', 70, 'I am 5 feet 10 inches tall'],
    ['a year of a date', 'year', 2021, 'since 2021-05-07'],
    ['a month of a date', 'month', 5, 'what was on May 7th'],
    ['the hour of a time', 'hour', 15, 'call me at 3 pm'],
    ['negated', 'change', -20, 'lower it by 20'],
    ['one of them', 'quantity', 1, 'I want a ticket'],
    ['as many as are named', 'guests', 3, 'a table for Ann, Bob and Eve'],
    ['a sum', 'total', 30, 'I have 10 and 20, what is it together?'],
    ['a product', 'cost', 60, 'what are 12 of them at 5 each?'],
  ])('%s', async (_, name, value, user) => {
    expect(await findingsOf(name, value, user)).toEqual([])
  })

  test.each<[string, string, number, string]>([
    ['another', 'length', 13, 'it is 12 long'],
    ['the beginning of another', 'length', 12, 'it is 123 long'],
    ['a part of a word', 'length', 12, 'the part is called x12'],
    ['a sum that nobody asked for', 'length', 30, 'it is 10 by 20'],
    ['another in another unit', 'distance_m', 4000, 'it is 5 km away'],
    ['next to a number that is no bound', 'age', 4, 'she is 5'],
    ['none at all', 'amount', 250, 'send the money to her'],
    ['of many when others were said', 'quantity', 1, 'I want 4 of the tickets'],
  ])('but not %s', async (_, name, value, user) => {
    expect(await findingsOf(name, value, user)).toEqual(['ungrounded_number'])
  })

  test('a part of a result that the user wants', async () => {
    const messages = [said('user', 'send half of the balance to her'), said('tool', 'balance: 1810.0')]
    expect(await findingsOf('amount', 905, '', {}, after(...messages))).toEqual([])
    expect(await findingsOf('amount', 900, '', {}, after(...messages))).toEqual(['ungrounded_number'])
  })

  test('the prices of a result together', async () => {
    const messages = [said('user', 'pay for what is in the basket'), said('tool', 'pen 2.50, ink 7.25, rent 800')]
    expect(await findingsOf('amount', 9.75, '', {}, after(...messages))).toEqual([])
  })
})

describe('a date or a time', () => {
  test.each<[string, string, string, string]>([
    ['as it is', 'date', '2026-05-07', 'on 2026-05-07'],
    ['in words', 'date', '2026-05-07', 'on May 7th, 2026'],
    ['day first', 'date', '2026-05-07', 'on the 7 May 2026'],
    ['with slashes', 'date', '2026-05-07', 'on 5/7/2026'],
    ['without its year', 'date', '2026-05-07', 'on the 7th of May'],
    ['the end of a stretch', 'end', '2025-06-17', 'from June 15 to 17, 2025'],
    ['a holiday', 'date', '2026-12-25', 'at Christmas'],
    ['a time', 'time', '15:30', 'at 3:30 pm'],
    ['a time without its half', 'time', '17:00', 'meet me at 5'],
    ['a time in words', 'time', '12:00', 'at noon'],
    ['past the hour', 'time', '10:30', 'at half past ten'],
    ['some time of the day', 'time', '09:00', 'in the morning'],
    ['a date and a time', 'start', '2026-05-07T15:30', 'on May 7 at 3:30pm'],
    ['a month', 'month', '2026-05', 'all of May 2026'],
  ])('%s', async (_, name, value, user) => {
    expect(await findingsOf(name, value, user)).toEqual([])
  })

  test.each<[string, string, string, string]>([
    ['another day', 'date', '2026-05-08', 'on May 7th, 2026'],
    ['another month', 'date', '2026-06-07', 'on May 7th'],
    ['no day', 'date', '2026-05-07', 'book the table for me'],
    ['another time', 'time', '21:10', 'at 3:30 pm'],
    ['another time of the right day', 'start', '2026-05-07 21:10', 'on May 7 at 3:30pm'],
  ])('but not %s', async (_, name, value, user) => {
    expect(await findingsOf(name, value, user)).toEqual(['ungrounded_date'])
  })

  test.each<[string, string]>([
    ['today', '2026-03-04'],
    ['tomorrow', '2026-03-05'],
    ['the day after tomorrow', '2026-03-06'],
    ['yesterday', '2026-03-03'],
    ['on friday', '2026-03-06'],
    ['next friday', '2026-03-13'],
    ['in 10 days', '2026-03-14'],
    ['two weeks ago', '2026-02-18'],
    ['what is on next week?', '2026-03-11'],
    ['on the 18th', '2026-03-18'],
    ['last month', '2026-02-10'],
  ])('from what today is: %s', async (words, value) => {
    const messages = [TODAY, said('user', `book it for me ${words}`)]
    expect(await findingsOf('date', value, '', {}, after(...messages))).toEqual([])
    expect(await findingsOf('date', '2026-09-23', '', {}, after(...messages))).toEqual(['ungrounded_date'])
  })

  test('what today is may be a result', async () => {
    const messages = [said('user', 'book it for tomorrow'), said('tool', '2026-03-04')]
    expect(await findingsOf('date', '2026-03-05', '', {}, after(...messages))).toEqual([])
    expect(await findingsOf('date', '2026-03-25', '', {}, after(...messages))).toEqual(['ungrounded_date'])
  })
})

describe('an option', () => {
  const STRICT: Partial<Asked> = { policy: 'strict' }
  const options = (...names: readonly unknown[]): object => ({ enum: names })

  test.each<[string, unknown, string, readonly unknown[]]>([
    ['that is named', 'Comedy', 'a comedy please', ['Comedy', 'Horror']],
    ['that is named in another form', 'sorted_by_price', 'sorted by the price', ['sorted_by_price', 'none']],
    ['that is a number', 2, 'for two of us', [1, 2, 3]],
    ['that everybody says in another way', 'desc', 'show me the highest first', ['asc', 'desc']],
    ['by its code', 'EUR', 'change it to euros', ['EUR', 'USD']],
    ['that means any', 'any', 'find me a movie', ['any', 'Horror']],
    ['that is the only one', 'v1', 'find me a movie', ['v1']],
  ])('%s', async (_, value, user, names) => {
    expect(await findingsOf('kind', value, user, options(...names), STRICT)).toEqual([])
  })

  test('that nobody named only lowers the score', async () => {
    const asked = one('Horror', 'find me a movie for tonight', { enum: ['Comedy', 'Horror'] })
    const reflection = await reflect(asked)
    expect(reflection).toMatchObject({ decision: 'approve', notes: [{ finding: 'ungrounded_enum' }] })
    expect(await issuesOf({ ...asked, policy: 'balanced' })).toMatchObject([{ finding: 'ungrounded_enum' }])
    expect(await issuesOf({ ...asked, required: [], policy: 'balanced' })).toEqual([])
    expect(await issuesOf({ ...asked, required: [], policy: 'strict' })).toMatchObject([
      { finding: 'unsupported_optional_enum' },
    ])
  })

  test('against the one that the user names, which is suggested', async () => {
    const asked = one('Horror', 'find me a comedy for tonight', { enum: ['Comedy', 'Horror'] })
    const [issue] = await issuesOf({ ...asked, policy: 'balanced' })
    expect(issue).toMatchObject({
      explanation: "'Horror' of 'kind' was not named, and the user names another option: 'Comedy'.",
      correction: { corrected_arguments: { kind: 'Comedy' } },
    })
  })

  test('that is the default, against the one that the user names, is rejected', async () => {
    const schema = { enum: ['Comedy', 'Horror'], default: 'Horror' }
    expect(await issuesOf(one('Horror', 'find me a comedy for tonight', schema))).toMatchObject([
      { finding: 'contradicted_enum' },
    ])
    expect(await issuesOf(one('Horror', 'find me a movie for tonight', schema))).toEqual([])
  })

  function one(value: string, user: string, schema: object): Asked {
    return { args: { kind: value }, properties: { kind: schema }, required: ['kind'], user }
  }
})

describe('words', () => {
  test.each<[string, string, string, string]>([
    ['as they are', 'city', 'San Francisco', 'the weather in San Francisco'],
    ['in another form', 'species', 'elephant', 'how many elephants are there?'],
    ['mistyped', 'city', 'Philadelphia', 'the weather in Philadephia'],
    ['in another order', 'name', 'Smith John', 'find John Smith for me'],
    ['a place and what it lies in', 'location', 'Berkeley, CA', 'the weather in Berkeley'],
    ['a place by its letters', 'location', 'Los Angeles, CA', 'the weather in LA for me'],
    ['a country by its code', 'country', 'DE', 'find the trains in Germany'],
    ['a currency by its name', 'currency', 'USD', 'what is it in dollars?'],
    ['a language by its code', 'language', 'fr', 'translate it to French'],
    ['a term', 'function', '3x**2 + 2x', 'the derivative of 3x^2 + 2x'],
    ['a long text', 'body', 'Dear all, the meeting has moved, best regards, your team', 'tell them that it moved'],
    ['nothing', 'city', '', 'what is the weather?'],
  ])('%s', async (_, name, value, user) => {
    expect(await findingsOf(name, value, user)).toEqual([])
  })

  test.each<[string, string, string, string, string]>([
    ['others', 'city', 'Portland', 'find the weather for me', 'ungrounded_string'],
    ['another place', 'location', 'Portland, OR', 'the weather in Boston please', 'ungrounded_string'],
    ['another country', 'country', 'Japan', 'the population of Brazil, please', 'ungrounded_string'],
    ['what to search for', 'query', 'cheap flights', 'what is the time there?', 'ungrounded_string'],
    ['another term', 'function', '9x**5', 'the derivative of 3x^2 + 2x', 'ungrounded_expression'],
    ['half of a name', 'name', 'Zoe', 'find the number of Ann for me', 'ungrounded_string'],
  ])('but not %s', async (_, name, value, user, finding) => {
    expect(await findingsOf(name, value, user)).toEqual([finding])
  })

  test('an example of the description is told to be one, and supports nothing', async () => {
    const schema = { description: 'The city, such as Portland or Rome' }
    expect(await findingsOf('city', 'Portland', 'find the weather for me', schema)).toEqual(['ungrounded_string'])
  })

  test('of a language that we do not know are not judged, but for what is in its own script', async () => {
    expect(await findingsOf('city', 'Lisbon', '¿qué tiempo hace mañana en Lisboa?')).toEqual([])
    expect(await findingsOf('customer', '红星科技', '请帮我检索一下目前所有未解决的工单')).toEqual([
      'ungrounded_string',
    ])
    expect(await findingsOf('customer', '红星科技', '请帮我检索一下红星科技的工单')).toEqual([])
  })
})

describe('flags', () => {
  const scored = async (value: boolean, user: string): Promise<number | undefined> => {
    const asked = { args: { include_drafts: value }, properties: { include_drafts: { type: 'boolean' } }, user }
    const reflection = await reflect(asked)
    return reflection.kind === 'verdict' && reflection.decision === 'approve' ? reflection.score : NaN
  }

  test('are never a reason to reject, and better supported where they are spoken of', async () => {
    const [cued, uncued] = [await scored(true, 'show me the drafts too'), await scored(true, 'show me the letters')]
    expect(cued).toBeGreaterThan(uncued ?? NaN)
    expect(await scored(false, 'show me the letters')).toBeGreaterThanOrEqual(0.5)
  })
})
