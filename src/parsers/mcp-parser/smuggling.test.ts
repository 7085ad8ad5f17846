import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { ReadResult } from '../../core/plugin.ts'
import { createMcpParser } from './mcp-parser.ts'

const parser = createMcpParser({ hosts: [], paths: ['/mcp'], denial: 'http_status' })

function read(given: Given): ReadResult {
  const { x, body } = exchangeOf({ path: '/mcp', ...given })
  return parser.read(x, body)
}

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop_db","arguments":{}}}'
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
const call = (more: string) => `${CALL.slice(0, -1)}${more}}`
const callOf = (name: string) => CALL.replace('"drop_db"', JSON.stringify(name))

/** Shapes that got past other gateways, or run on some servers and not on others. */
describe('refused, since peers differ', () => {
  test.each<[string, Given]>([
    ['a batch', { body: `[${CALL}]` }],
    ['a batch with white space', { body: ` \n[ ${CALL} ]` }],
    ['a batch of harmless ones', { body: `[${LIST}]` }],
    ['an empty batch', { body: '[]' }],
    ['a batch in a batch', { body: `[[${CALL}]]` }],
    ['a text that holds a message', { body: JSON.stringify(CALL) }],
    ['a call that is a response too', { body: call(',"result":{}') }],
    ['a call with an error', { body: call(',"error":null') }],
    ['a response with result and error', { body: '{"jsonrpc":"2.0","id":1,"error":null,"result":{"x":1}}' }],
    ['neither', { body: '{"jsonrpc":"2.0","id":1}' }],
    ['two methods', { body: LIST.replace('}', ',"method":"tools/call"}') }],
    ['two methods, one escaped', { body: LIST.replace('}', ',"\\u006dethod":"tools/call"}') }],
    ['two methods, one in capitals', { body: LIST.replace('}', ',"METHOD":"tools/call"}') }],
    ['capitals only', { body: '{"jsonrpc":"2.0","id":1,"Method":"tools/call","Params":{"name":"drop_db"}}' }],
    ['params by a Unicode fold', { body: LIST.replace('}', ',"param\u017f":{"name":"drop_db"}}') }],
    ['a name twice', { body: CALL.replace('"name"', '"name":"get","name"') }],
    ['a name in capitals beside it', { body: CALL.replace('"name"', '"Name":"get","name"') }],
    ['a name in capitals alone', { body: CALL.replace('"name"', '"NAME"') }],
    ['arguments in capitals', { body: CALL.replace('"arguments"', '"Arguments"') }],
    ['duplicate keys in arguments', { body: CALL.replace('{}', '{"a":1,"a":2}') }],
    ['no jsonrpc', { body: CALL.replace('"jsonrpc":"2.0",', '') }],
    ['jsonrpc 1.0', { body: CALL.replace('2.0', '1.0') }],
    ['id null', { body: CALL.replace('"id":1', '"id":null') }],
    ['id 1.0', { body: CALL.replace('"id":1', '"id":1.0') }],
    ['id as object', { body: CALL.replace('"id":1', '"id":{}') }],
    ['params as text', { body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"{}"}' }],
    ['params as array', { body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["drop_db"]}' }],
    ['no params', { body: '{"jsonrpc":"2.0","id":1,"method":"tools/call"}' }],
    ['no name', { body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}' }],
    ['a name that is no text', { body: CALL.replace('"drop_db"', '["drop_db"]') }],
    ['an empty name', { body: callOf('') }],
    ['arguments as text', { body: CALL.replace('{}}', '"{}"}') }],
    ['arguments as array', { body: CALL.replace('{}}', '[]}') }],
    ['a name with a zero-width space', { body: callOf('drop_db\u200b') }],
    ['a name with a zero byte', { body: callOf('drop_db\u0000') }],
    ['a name with a line end', { body: callOf('drop\ndb') }],
    ['a name that turns around', { body: callOf('drop\u202edb') }],
    ['a name that is not composed', { body: callOf('a\u0308') }],
    ['a byte order mark', { body: `\ufeff${CALL}` }],
    ['UTF-16', { body: Buffer.from(CALL, 'utf16le') }],
    ['an invalid byte', { body: Buffer.from(CALL.replace('drop', 'dr\xffop'), 'latin1') }],
    ['a lone surrogate', { body: CALL.replace('drop', 'dr\\ud800op') }],
    ['trailing data', { body: `${LIST}${CALL}` }],
    ['lines', { body: `${LIST}\n${CALL}` }],
    ['half a message', { body: '{"jsonrpc":"2.0","method":' }],
    ['NaN', { body: CALL.replace('{}', '{"a":NaN}') }],
    ['a number out of range', { body: CALL.replace('{}', '{"a":1e999}') }],
    ['nested too deeply', { body: CALL.replace('{}', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`) }],
    ['spaces, then nothing', { body: ' '.repeat(1000) }],
    ['an unlabelled gzip', { body: gzipSync(CALL) }],
    [
      'two content types',
      {
        body: CALL,
        headers: [
          ['content-type', 'application/json'],
          ['content-type', 'text/plain'],
        ],
      },
    ],
    ['another character set', { body: CALL, headers: { 'content-type': 'application/json; charset=utf-7' } }],
    ['a method override', { body: CALL, headers: { 'x-http-method-override': 'GET' } }],
    [
      'a form on the path',
      { body: 'method=tools%2Fcall', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['nothing posted', { method: 'POST' }],
  ])('%s', (_, given) => {
    expect(read(given)).toMatchObject({ kind: 'unreadable' })
  })
})

describe('headers that say something else than the body', () => {
  const READ = '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a"}}'
  const MODERN = CALL.replace(
    '"arguments"',
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"arguments"',
  )
  const NAMELESS = '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":""}}'
  const umlaut = callOf('\u00e4dd')

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['the method', CALL, { 'mcp-method': 'tools/list' }],
    ['the method in another case', CALL, { 'mcp-method': 'Tools/Call' }],
    ['the tool', CALL, { 'mcp-name': 'get' }],
    ['the tool in base64', CALL, { 'mcp-name': '=?base64?Z2V0?=' }],
    ['an empty base64', CALL, { 'mcp-name': '=?base64??=' }],
    ['an empty base64 for an empty name', NAMELESS, { 'mcp-name': '=?base64??=' }],
    ['base64 that is none', CALL, { 'mcp-name': '=?base64?%%%?=' }],
    ['a name where there is none', LIST, { 'mcp-name': 'drop_db' }],
    ['the resource', READ, { 'mcp-name': 'file:///b' }],
    ['the version', MODERN, { 'mcp-protocol-version': '2025-11-25' }],
  ])('refused: %s', (_, body, headers) => {
    expect(read({ body, headers })).toMatchObject({ kind: 'unreadable', envelope: true })
  })

  test.each(['mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id'])('refused: %s twice', (name) => {
    const value = name === 'mcp-method' ? 'tools/call' : name === 'mcp-name' ? 'drop_db' : '2025-11-25'
    expect(
      read({
        body: CALL,
        headers: [
          [name, value],
          [name, value],
        ],
      }),
    ).toMatchObject({ kind: 'unreadable' })
  })

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['all agree', MODERN, { 'mcp-method': 'tools/call', 'mcp-name': 'drop_db', 'mcp-protocol-version': '2026-07-28' }],
    ['a name in base64', umlaut, { 'mcp-name': '=?base64?w6RkZA==?=' }],
    ['a resource', READ, { 'mcp-name': 'file:///a' }],
    ['an older revision, which has no such headers', CALL, { 'mcp-protocol-version': '2025-06-18' }],
  ])('read: %s', (_, body, headers) => {
    expect(read({ body, headers })).toMatchObject({ kind: 'read' })
  })
})

/** What is read, is read as the call that it is. */
describe('seen as the call', () => {
  test.each<[string, Given]>([
    ['without id', { body: CALL.replace('"id":1,', '') }],
    ['escaped', { body: CALL.replace('tools/call', 't\\u006fols\\/call').replace('method', 'm\\u0065thod') }],
    ['white space', { body: ` \t\r\n${CALL}\n` }],
    ['as plain text', { body: CALL, headers: { 'content-type': 'text/plain' } }],
    ['without a type', { body: CALL }],
    ['with a type in capitals', { body: CALL, headers: { 'content-type': 'Application/JSON' } }],
    ['by GET', { body: CALL, method: 'GET' }],
    ['by DELETE', { body: CALL, method: 'DELETE' }],
    ['on any path', { body: CALL, path: '/anything' }],
    ['with a version that is none', { body: CALL, headers: { 'mcp-protocol-version': 'x' } }],
    ['with an id that a double cannot hold', { body: CALL.replace('"id":1', '"id":9007199254740993') }],
  ])('%s', (_, given) => {
    expect(read(given)).toMatchObject({ kind: 'read', actions: [{ kind: 'tool-call', tool: 'drop_db', args: {} }] })
  })

  test('a long run of spaces before the call', () => {
    expect(read({ body: ' '.repeat(1_000_000) + CALL })).toMatchObject({ actions: [{ kind: 'tool-call' }] })
  })

  test('names are compared as they are', () => {
    for (const name of ['Pay', 'pay ', 'server__pay']) {
      expect(read({ body: callOf(name) })).toMatchObject({ actions: [{ tool: name }] })
    }
  })
})
