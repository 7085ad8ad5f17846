import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JSON_DEPTH, JSON_MEMBERS, readJson } from './strict.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const wide = (members: number) => `{${Array.from({ length: members }, (_, at) => `"k${at}":1`).join(',')}}`
const latin1 = (text: string) => Buffer.from(text, 'latin1')

describe('readJson refuses', () => {
  test.each<[string, Uint8Array]>([
    ['a key twice', bytes('{"a":1,"a":2}')],
    ['a key twice, with the same value', bytes('{"a":1,"a":1}')],
    ['a key twice, once escaped', bytes('{"method":"x","\\u006dethod":"y"}')],
    ['a key twice, deep', bytes('{"a":[{"b":{"c":1,"c":2}}]}')],
    ['a key twice around a container', bytes('{"a":{"x":1},"b":2,"a":3}')],
    ['__proto__ twice', bytes('{"__proto__":1,"__proto__":2}')],
    ['an empty key twice', bytes('{"":1,"":2}')],
    ['number keys twice', bytes('{"1":1,"0":2,"1":3}')],
    ['a byte order mark', bytes('\ufeff{}')],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['a byte that is no UTF-8', latin1('{"a":"\xff"}')],
    ['an overlong form', latin1('{"a":"\xc0\xaf"}')],
    ['an encoded surrogate', latin1('{"a":"\xed\xa0\x80"}')],
    ['an escaped lone surrogate', bytes('{"a":"\\ud800"}')],
    ['an escaped lone low surrogate', bytes('["\\uDC00x"]')],
    ['a lone surrogate in a key', bytes('{"\\udfff":1}')],
    ['surrogates in the wrong order', bytes('["\\udc00\\ud800"]')],
    ['trailing data', bytes('{}{}')],
    ['lines of JSON', bytes('{"a":1}\n{"a":2}')],
    ['a comment', bytes('{/**/}')],
    ['a trailing comma', bytes('[1,]')],
    ['single quotes', bytes("{'a':1}")],
    ['a bare key', bytes('{a:1}')],
    ['NaN', bytes('[NaN]')],
    ['Infinity', bytes('[-Infinity]')],
    ['a number beyond a double', bytes('[1e999]')],
    ['a long number beyond a double', bytes(`[${'9'.repeat(400)}]`)],
    ['hexadecimal', bytes('[0x10]')],
    ['a leading zero', bytes('[01]')],
    ['a raw control character', bytes('["\u0001"]')],
    ['a raw newline in a text', bytes('["\n"]')],
    ['white space that JSON does not know', bytes('\u00a0{}')],
    ['a form feed', bytes('\f{}')],
    ['an open string', bytes('{"a":"b')],
    ['an open string that ends in a backslash', bytes('"\\')],
    ['nothing', bytes('')],
    ['white space only', bytes(' ')],
    ['one level too deep', bytes('['.repeat(JSON_DEPTH + 1) + ']'.repeat(JSON_DEPTH + 1))],
    ['one member too many in an object', bytes(`[{},${wide(JSON_MEMBERS + 1)}]`)],
    ['one object too deep', bytes('{"a":'.repeat(JSON_DEPTH + 1) + '1' + '}'.repeat(JSON_DEPTH + 1))],
    ['a body of brackets', bytes('['.repeat(1_000_000))],
  ])('%s', (_, body) => {
    expect(readJson(body)).toMatchObject({ ok: false })
  })
})

describe('readJson reads', () => {
  test.each<[string, string]>([
    ['white space around', ' \t\r\n{"a": 1}\n'],
    ['equal keys in different objects', '{"a":{"a":1},"b":[{"a":1},{"a":1}]}'],
    ['quotes, colons and brackets in texts', '{"a":"\\"x\\":{[","b\\\\":":"}'],
    ['keys that end in backslashes', '{"a\\\\":1,"a\\\\\\\\":2}'],
    ['a surrogate pair', '["\\ud83d\\ude00"]'],
    ['__proto__ and constructor', '{"__proto__":{"x":1},"constructor":2}'],
    ['scalars', '"x"'],
    ['null', 'null'],
    ['-0, exponents, long fractions', '[-0,1e5,0.1000000000000000055]'],
    ['objects as wide as allowed', `[${wide(JSON_MEMBERS)},${wide(JSON_MEMBERS)}]`],
    ['as deep as allowed', '['.repeat(JSON_DEPTH) + ']'.repeat(JSON_DEPTH)],
  ])('%s', (_, text) => {
    expect(readJson(bytes(text))).toMatchObject({ ok: true, value: JSON.parse(text) as unknown })
  })

  test('__proto__ stays an own key', () => {
    const read = readJson(bytes('{"__proto__":{"admin":true}}'))
    expect(read.ok && Object.keys(read.value as object)).toEqual(['__proto__'])
  })
})

describe('tokens', () => {
  const token = (text: string, name: string) => {
    const read = readJson(bytes(text))
    return read.ok ? read.tokens.get(name) : 'refused'
  }
  test.each<[string, string, string | undefined]>([
    ['{"id":9007199254740993}', 'id', '9007199254740993'],
    ['{"a":{"id":1},"id" :\n 1.0 ,"b":2}', 'id', '1.0'],
    ['{"a":[{"id":1}],"b":"\\"id\\":7","id":"x,y}"}', 'id', '"x,y}"'],
    ['{"\\u0069d":-0}', 'id', '-0'],
    ['{"id":"\\u0061"}', 'id', '"\\u0061"'],
    ['{"a":"id"}', 'id', undefined],
    ['[{"id":1}]', 'id', undefined],
    ['"id"', 'id', undefined],
    ['{}', 'id', undefined],
  ])('of %s, %s is %s', (text, name, expected) => {
    expect(token(text, name)).toBe(expected)
  })
})

describe('against JSON.parse', () => {
  const nativeReading = (text: string): { value: unknown } | undefined => {
    try {
      return { value: JSON.parse(text) as unknown }
    } catch {
      return undefined
    }
  }
  const nearJson = fc
    .array(
      fc.constantFrom('{', '}', '[', ']', ':', ',', '"a"', '"b"', '"', '\\', '\\u0061', '1', '-', 'e9', 'null', ' '),
      { maxLength: 12 },
    )
    .map((tokens) => tokens.join(''))

  test('what we accept, it accepts, with the same value; what it refuses, we refuse', () => {
    fc.assert(
      fc.property(fc.oneof(nearJson, fc.json(), fc.string()), (text) => {
        const ours = readJson(bytes(text))
        const native = nativeReading(text)
        if (ours.ok) expect(native).toEqual({ value: ours.value })
        if (native === undefined) expect(ours.ok).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  test('every document without our own refusals is read', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(readJson(bytes(text))).toMatchObject({ ok: true, value: JSON.parse(text) as unknown })
      }),
      { numRuns: 300 },
    )
  })

  test('a key that is repeated anywhere is refused', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 5 })
    fc.assert(
      fc.property(object, fc.nat(), fc.array(fc.boolean(), { maxLength: 3 }), (value, pick, wrap) => {
        const keys = Object.keys(value)
        const key = JSON.stringify(keys[pick % keys.length])
        const doubled = `${JSON.stringify(value).slice(0, -1)},${key}:null}`
        const text = wrap.reduce((inner, array) => (array ? `[${inner}]` : `{"w":${inner}}`), doubled)
        expect(readJson(bytes(text))).toMatchObject({ ok: false, why: 'a key occurs twice in one object' })
      }),
      { numRuns: 200 },
    )
  })
})
