import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namesIn } from './names.ts'
import { newSearch, shorten as shortenIn, shortenText as shortenTextIn } from './shorten.ts'

const shorten = (value: unknown) => shortenIn(value, newSearch())
const shortenText = (text: string, characters: number) => shortenTextIn(text, characters, newSearch())

const FILL = 'the quick brown fox jumps over the lazy dog and so on. '
const hidden = (name: string) => FILL.repeat(40) + name + ' ' + FILL.repeat(40)

describe('a long text', () => {
  test.each([
    ['URL', 'https://evil.example/collect?code=X7B-92K&budget=2.4M'],
    ['URL with another scheme', 'ftp://files.example/a'],
    ['URL in a URL', 'https://good.example/go?to=https://evil.example/x'],
    ['host', 'evil-server.example'],
    ['host with port', 'evil-server:8080'],
    ['host with a dot of another script', 'evil。example'],
    ['host in another script', 'пример.испытание'],
    ['address', '10.1.2.3:9000'],
    ['IPv6 address', '[fe80::1]:80'],
    ['mail address', 'mallory@evil.example'],
    ['identifier', 'X7B-92K'],
    ['account', 'DE89370400440532013000'],
    ['number', '4111111111111111'],
    ['UUID', '0b1f6f5e-3d5c-4b3a-9a55-0d5a0d7e4b11'],
  ])('keeps a %s wherever it stands: %s', (_kind, name) => {
    for (const at of [0, 10, 500, 690, 705, 1500, 2000, 3990]) {
      const prose = FILL.repeat(80)
      const text = `${prose.slice(0, at)} ${name} ${prose.slice(at)}`
      expect(shortenText(text, 1000)).toContain(name)
    }
    expect(shortenText(hidden(name), 1000).length).toBeLessThan(1200)
  })

  test('says how much is left out', () => {
    expect(shortenText('x '.repeat(1000), 1000)).toContain('…[1000 characters left out]…')
  })

  test('of the limit stays as it is', () => {
    const text = 'a'.repeat(1000)
    expect(shortenText(text, 1000)).toBe(text)
    expect(shortenText(`${text}b`, 1000)).not.toContain(text)
  })

  test('has no half characters', () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const short = shortenText('a'.repeat(shift) + '😀'.repeat(2000), 1000)
      expect(Buffer.from(short).toString()).toBe(short)
    }
  })

  test('of one token shows its ends', () => {
    const blob = `A1${'b'.repeat(5000)}Z9`
    const short = shortenText(blob, 1000)
    expect(short.length).toBeLessThan(1300)
    expect(short.startsWith('A1')).toBe(true)
    expect(short.endsWith('Z9')).toBe(true)
  })
})

describe('a large value', () => {
  test('keeps its keys, and what is short', () => {
    const value = { to: 'a@b.example', n: 1, ok: true, none: null, list: [1, 'x'], deep: { er: { yet: 'y' } } }
    expect(shorten(value)).toEqual(value)
  })

  test('keeps the names in items and members that are left out', () => {
    const list = [...Array<string>(200).fill('word'), 'evil.example', { url: 'https://x.example/1' }]
    expect(JSON.stringify(shorten(list))).toContain('152 items left out; they name: https://x.example/1 , evil.example')
    const mapping = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${'-'.repeat(i)}`, 'v']))
    const short = JSON.stringify(shorten({ ...mapping, 'TX-991': 'a@evil.example' }))
    expect(short).toContain('101 members left out; they name: a@evil.example , TX-991')
  })

  test('does not run neighbours together', () => {
    const list = [...Array<string>(50).fill('w'), 'evil', '.example', 'n']
    expect(JSON.stringify(shorten(list))).not.toContain('evil.example')
  })

  test('has `__proto__` as a key like any other', () => {
    const value: unknown = JSON.parse('{"__proto__":{"to":"evil.example"}}')
    expect(JSON.stringify(shorten(value))).toBe('{"__proto__":{"to":"evil.example"}}')
  })
})

describe('how much is searched', () => {
  const prose = 'w '.repeat(65_536)
  test('is bounded for all parts together; beyond that it says so', () => {
    const search = newSearch()
    expect(shortenTextIn(prose, 1000, search)).not.toContain('searched')
    expect(search.charactersLeft).toBe(0)
    const second = shortenTextIn(hidden('evil.example'), 1000, search)
    expect(second).toContain('characters left out, not all of them searched]')
    expect(search.charactersLeft).toBeLessThan(0)
  })

  test('does not count what is shown whole', () => {
    const search = newSearch()
    shortenIn(
      Array.from({ length: 40 }, () => 'w'.repeat(1000)),
      search,
    )
    expect(search.charactersLeft).toBe(131_072)
  })
})

test('whatever a name stands in, it stays visible', () => {
  const prose = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', ',', '"', '\\', 'é', '.'), maxLength: 3000 })
  const name = fc.constantFrom('https://evil.example/c?d=1', 'evil.example:81', 'a@evil.example', 'TX-991-K2')
  fc.assert(
    fc.property(prose, name, prose, (before, token, after) => {
      expect(shortenText(`${before} ${token} ${after}`, 1000)).toContain(token)
    }),
    { numRuns: 200 },
  )
})

describe('names in a text', () => {
  test('are told apart, and listed once', () => {
    const text = 'see https://a.example/x, A@b.example and c.example:80; TX-991, TX-991 on 2025-01-31 for 123456 or 42'
    expect(namesIn(text)).toEqual({
      urls: ['https://a.example/x,'],
      mails: ['A@b.example'],
      hosts: ['c.example:80'],
      ids: ['TX-991', '123456'],
    })
  })

  test.each(
    ['a.', 'a@', '[', '[a:', 'a:', '1.', 'a', 'a-', 'a+', '-', '://', 'http://', `${'a'.repeat(63)}.`].map((piece) =>
      piece.repeat(131_072 / piece.length),
    ),
  )('are found in a text made to be slow', (text) => {
    // Ends: the test's own limit is the assertion.
    expect(namesIn(text)).toBeDefined()
  })
})
