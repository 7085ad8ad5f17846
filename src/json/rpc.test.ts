import { describe, expect, test } from 'vitest'
import { jsonRpcError, jsonRpcResult, readEnvelope } from './rpc.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const envelope = (text: string) => readEnvelope(bytes(text))

describe('readEnvelope reads', () => {
  test.each<[string, string, Record<string, unknown>]>([
    [
      'a request',
      '{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":1}}',
      { kind: 'request', method: 'x', idToken: '7', params: { a: 1 }, extra: undefined },
    ],
    [
      'a big id as it was written',
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}',
      { kind: 'request', idToken: '9007199254740993', params: undefined },
    ],
    ['a text id', '{"jsonrpc":"2.0","id":"a\\u0062","method":"x"}', { idToken: '"a\\u0062"' }],
    ['a notification', '{"jsonrpc":"2.0","method":"x"}', { kind: 'notification', idToken: undefined }],
    ['null for no params', '{"jsonrpc":"2.0","id":1,"method":"x","params":null}', { params: undefined }],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', { kind: 'response', method: undefined, result: {} }],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1}}', { kind: 'response', error: { code: 1 } }],
    ['an error without id', '{"jsonrpc":"2.0","id":null,"error":{"code":1}}', { kind: 'response', idToken: undefined }],
    ['escapes in names', '{"jsonrpc":"2.0","id":1,"\\u006dethod":"tools\\/call"}', { method: 'tools/call' }],
    ['another member', '{"jsonrpc":"2.0","id":1,"method":"x","trace":1}', { extra: { trace: 1 } }],
    ['white space', ' {"jsonrpc" : "2.0" , "id" : 1 , "method" : "x" } \n', { kind: 'request', idToken: '1' }],
  ])('%s', (_, text, expected) => {
    expect(envelope(text)).toMatchObject({ ok: true, ...expected })
  })
})

describe('readEnvelope refuses as malformed', () => {
  const call = (more: string) => `{"jsonrpc":"2.0","id":1,"method":"x"${more}}`
  test.each<[string, string, string | undefined]>([
    ['a batch', `[${call('')}]`, undefined],
    ['an empty batch', '[]', undefined],
    ['a text that holds JSON', JSON.stringify(call('')), undefined],
    ['a number', '1', undefined],
    ['method and result', call(',"result":{}'), '1'],
    ['method and error', call(',"error":null'), '1'],
    ['result and error', '{"jsonrpc":"2.0","id":1,"result":{},"error":null}', '1'],
    ['neither call nor response', '{"jsonrpc":"2.0","id":1}', '1'],
    ['no jsonrpc', '{"id":1,"method":"x"}', '1'],
    ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"x"}', '1'],
    ['jsonrpc as number', '{"jsonrpc":2.0,"id":1,"method":"x"}', '1'],
    ['id null', '{"jsonrpc":"2.0","id":null,"method":"x"}', undefined],
    ['id true', '{"jsonrpc":"2.0","id":true,"method":"x"}', undefined],
    ['id 1.0', '{"jsonrpc":"2.0","id":1.0,"method":"x"}', undefined],
    ['id 1e3', '{"jsonrpc":"2.0","id":1e3,"method":"x"}', undefined],
    ['id object', '{"jsonrpc":"2.0","id":{},"method":"x"}', undefined],
    ['a very long id', `{"jsonrpc":"2.0","id":"${'x'.repeat(600)}","method":"x"}`, undefined],
    ['a result without id', '{"jsonrpc":"2.0","result":{}}', undefined],
    ['method no text', '{"jsonrpc":"2.0","id":1,"method":7}', '1'],
    ['params an array', call(',"params":[1]'), '1'],
    ['params a text', call(',"params":"{}"'), '1'],
    ['a sibling in other case', call(',"Method":"tools/call"'), '1'],
    ['a lone member in other case', call(',"Params":{}'), '1'],
    ['a member that folds by Unicode', call(',"param\u017f":{}'), '1'],
    ['params that fold alike', call(',"params":{"name":"a","NAME":"b"}'), '1'],
    ['params that fold alike by Unicode', call(',"params":{"token":"a","to\u212aen":"b"}'), '1'],
    ['__proto__ in the envelope', call(',"__proto__":{}'), '1'],
    ['__proto__ in params', call(',"params":{"__proto__":{}}'), '1'],
  ])('%s', (_, text, idToken) => {
    expect(envelope(text)).toMatchObject({ ok: false, envelope: true, idToken })
  })

  test.each<[string, string]>([
    ['half a message', '{"jsonrpc":"2.0","method":'],
    ['a duplicate key', '{"jsonrpc":"2.0","method":"ping","method":"x"}'],
    ['a duplicate key in arguments', call(',"params":{"arguments":{"a":1,"a":2}}')],
    ['nothing', ''],
  ])('%s is no JSON', (_, text) => {
    expect(envelope(text)).toMatchObject({ ok: false, envelope: false, idToken: undefined })
  })
})

describe('writing', () => {
  const text = (written: Uint8Array) => new TextDecoder().decode(written)

  test('the id comes back as it was sent', () => {
    expect(text(jsonRpcError('9007199254740993', -31403, 'no', { reason: 'r' }))).toBe(
      '{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-31403,"message":"no","data":{"reason":"r"}}}',
    )
    expect(text(jsonRpcResult('"a\\u0062"', { isError: true }))).toBe(
      '{"jsonrpc":"2.0","id":"a\\u0062","result":{"isError":true}}',
    )
  })

  test('an unknown id is left out', () => {
    expect(text(jsonRpcError(undefined, -32700, 'no'))).toBe('{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}')
  })
})
