import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { peek } from './peek.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function utf32(text: string, littleEndian: boolean, mark: boolean): Uint8Array {
  const points = [...(mark ? '\ufeff' : ''), ...text].map((c) => c.codePointAt(0) ?? 0)
  const view = new DataView(new ArrayBuffer(points.length * 4))
  points.forEach((point, index) => view.setUint32(index * 4, point, littleEndian))
  return new Uint8Array(view.buffer)
}
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}'

/** `{"jsonrpc":"2.0","method":"tools/call"}` in code page 37. */
const EBCDIC_CALL = 'c07f91a296959997837f7a7ff24bf07f6b7f9485a38896847f7a7fa3969693a261838193937fd0'

describe('peek sees jsonrpc and the method in', () => {
  test.each<[string, Uint8Array]>([
    ['plain JSON', bytes(CALL)],
    ['white space and a mark', bytes(`\ufeff \n${CALL}`)],
    ['white space that JSON does not know', bytes(`\u00a0\f${CALL}`)],
    ['UTF-16 LE', Buffer.from(CALL, 'utf16le')],
    ['UTF-16 LE with mark', Buffer.from(`\ufeff${CALL}`, 'utf16le')],
    ['UTF-16 BE', utf16be(CALL)],
    ['UTF-16 BE with mark', utf16be(`\ufeff${CALL}`)],
    ['UTF-32 LE', utf32(CALL, true, false)],
    ['UTF-32 LE with mark', utf32(CALL, true, true)],
    ['UTF-32 BE', utf32(CALL, false, false)],
    ['UTF-32 BE with mark', utf32(CALL, false, true)],
    ['escaped keys', bytes('{"\\u006asonrpc":"2.0","m\\u0065thod":"tools\\/call"}')],
    ['other case', bytes('{"JsonRPC":"2.0","METHOD":"tools/call"}')],
    ['Unicode folds', bytes('{"j\u017fonrpc":"2.0","method":"tools/call"}')],
    ['an array', bytes(`[${CALL}]`)],
    ['an array of arrays', bytes(`[[],[1,${CALL}]]`)],
    ['a string that holds JSON', bytes(JSON.stringify(CALL))],
    ['a string in a string', bytes(JSON.stringify(JSON.stringify(CALL)))],
    ['duplicate keys', bytes('{"jsonrpc":"2.0","method":"ping","method":"tools/call"}')],
    ['trailing data', bytes(`{}${CALL}`)],
    ['lines of JSON', bytes(`${CALL}\n${CALL}`)],
    ['an invalid byte', Buffer.concat([bytes(CALL.slice(0, -2)), Uint8Array.of(0xff), bytes('}')])],
    ['comments and bare keys', bytes("/* x */ {jsonrpc: '2.0', // y\n method: 'tools/call',}")],
    ['a comment that ends with CR', bytes(`{"a":1, //\r${CALL.slice(1)}`)],
    ['a comment that ends with a line separator', bytes(`{"a":1, //\u2028${CALL.slice(1)}`)],
    ['a cut message', bytes(CALL.slice(0, 50))],
    ['NaN', bytes(CALL.replace('"x"', 'NaN'))],
    ['deep nesting before it', bytes(`{"a":${'['.repeat(100)}${']'.repeat(100)},${CALL.slice(1)}`)],
  ])('%s', (_, body) => {
    const seen = peek(body)
    expect([...seen.keys]).toContain('jsonrpc')
    expect(seen.methods).toContain('tools/call')
  })

  test.each<[string, string, Uint8Array]>([
    ['UTF-7', 'utf-7', bytes('+AHsAIg-jsonrpc+ACIAOgAi-2.0+ACIALAAi-method+ACIAOgAi-tools/call+ACIAfQ-')],
    [
      'Shift_JIS, whose second bytes look like backslashes',
      'shift_jis',
      Buffer.from(`{"a\x83\x5c":1,${CALL.slice(1)}`, 'latin1'),
    ],
    ['EBCDIC', 'ibm037', Buffer.from(EBCDIC_CALL, 'hex')],
    ['shifts in the middle of a word', 'iso-2022-kr', bytes(CALL.replace('jsonrpc', '\u001b$)Cjson\u000frpc'))],
  ])('%s, when the content type names it', (_, charset, body) => {
    expect([...peek(body, charset).keys]).toContain('jsonrpc')
    expect(peek(body, charset).methods).toContain('tools/call')
  })
})

describe('peek does not see them in', () => {
  test.each<[string, Uint8Array]>([
    ['a nested object', bytes(`{"log":${CALL}}`)],
    ['a nested object of text that is no JSON', bytes(`{"log":${CALL},}`)],
    ['a text', bytes(`{"log":${JSON.stringify(CALL)}}`)],
    ['a text that is no JSON', bytes(`{"log":${JSON.stringify(CALL)},}`)],
    ['a value', bytes('{"a":"jsonrpc","b":["method","tools/call"]}')],
    ['prose', bytes(`hello ${CALL}`)],
    ['a form', bytes('jsonrpc=2.0&method=tools/call')],
    ['multipart', bytes(`--x\r\n\r\n${CALL}\r\n--x--`)],
    ['nothing', bytes('')],
  ])('%s', (_, body) => {
    expect([...peek(body).keys]).not.toContain('jsonrpc')
    expect(peek(body).methods).toEqual([])
  })
})

test('shapes', () => {
  expect(peek(bytes('{}')).shape).toBe('object')
  expect(peek(bytes('{,')).shape).toBe('object')
  expect(peek(bytes('[]')).shape).toBe('array')
  expect(peek(bytes('"{}"')).shape).toBe('string')
  expect(peek(bytes('7')).shape).toBe('other')
  expect(peek(bytes('\u0000\u0001binary')).shape).toBe('other')
})

test('any bytes give an answer', () => {
  const junk = fc
    .array(fc.constantFrom('{', '}', '[', '"', "'", '\\', '/*', '//', ':', ',', 'a', '\n', '\ud800'), { maxLength: 20 })
    .map((tokens) => bytes(tokens.join('')))
  const charset = fc.option(fc.constantFrom('utf-7', 'utf-16', 'utf-32', 'gbk', 'no such'), { nil: undefined })
  fc.assert(
    fc.property(fc.oneof(junk, fc.uint8Array({ maxLength: 40 })), charset, (body, label) => {
      expect(peek(body, label).keys).toBeInstanceOf(Set)
    }),
    { numRuns: 1000 },
  )
})

test('the top-level keys of any object are seen, however it is written', () => {
  const object = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 })
  const form = fc.constantFrom<(text: string) => Uint8Array>(
    bytes,
    (text) => bytes(`${text.slice(0, -1)},}`.replace('{,}', '{}')),
    (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    (text) => bytes(text.replace(/[a-z]/, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)),
  )
  fc.assert(
    fc.property(object, form, (value, write) => {
      const keys = new Set(Object.keys(value))
      const text = JSON.stringify(value)
      // An escape is written into the first letter, which has to be one of a key.
      fc.pre(/^\{("[a-z]|\})/.test(text))
      expect(new Set(peek(write(text)).keys)).toEqual(keys)
    }),
    { numRuns: 300 },
  )
})
