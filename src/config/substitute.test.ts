import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { substitute } from './substitute.ts'
import { Substituted } from './substituted.ts'

const environment = { HOST: 'judge', EMPTY: '', _2: 'two', NESTED: '${HOST}' }

describe('variables are replaced', () => {
  test.each([
    ['${HOST}', 'judge'],
    ['http://${HOST}:${PORT:-80}/', 'http://judge:80/'],
    ['${_2}', 'two'],
    ['${UNSET}', ''],
    ['${UNSET:-a:-b}', 'a:-b'],
    ['${UNSET:-}', ''],
    ['${EMPTY:-default}', 'default'],
    ['${HOST:-default}', 'judge'],
    ['${UNSET:-two\nlines}', 'two\nlines'],
    ['$${HOST} ${HOST}', '${HOST} judge'],
    // What a variable holds is not looked at again.
    ['${NESTED}', '${HOST}'],
    // An object's own members only.
    ['${constructor}', ''],
  ])('%j', (scalar, expected) => {
    expect(substitute(scalar, environment)).toEqual(new Substituted(expected, scalar))
  })
})

describe('what has no variable stays a plain string', () => {
  test.each([['plain'], ['$HOST'], ['{HOST}'], ['$'], ['']])('%j', (scalar) => {
    expect(substitute(scalar, environment)).toBe(scalar)
  })
  test('an escape alone', () => {
    expect(substitute('$${HOST}', environment)).toBe('${HOST}')
  })
})

describe('anything else that begins with ${ is a mistake', () => {
  test.each([['${}'], ['${1X}'], ['${HOST'], ['${HOST:?gone}'], ['${HOST-default}'], ['${ HOST }']])('%j', (scalar) => {
    expect(substitute(scalar, environment)).toEqual({ wrong: expect.stringContaining('is no substitution') as string })
  })
})

test('any text whose ${ are escaped comes back as it was', () => {
  const piece = fc.constantFrom('${', '$', '{', '}', 'A', ':-')
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('')
      expect(
        substitute(
          text.replaceAll('${', () => '$${'),
          {},
        ),
      ).toBe(text)
    }),
    { numRuns: 200 },
  )
})
