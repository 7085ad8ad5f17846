import { describe, expect, test } from 'vitest'
import { exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { Refusal } from '../../core/ruling.ts'
import type { A2aConfig } from './config.ts'
import { createA2aParser } from './index.ts'

const blocked: Refusal = {
  code: 'ibac.blocked',
  status: 403,
  message: 'Not asked for.',
  plugin: 'ibac',
  requestId: 'r-1',
}
const unreadable: Refusal = {
  code: 'plumbline.unreadable',
  status: 400,
  message: 'No.',
  plugin: 'plumbline',
  requestId: 'r-1',
}

/** The answer to a message that is refused, whatever it was read as. */
function refusal(denial: A2aConfig['denial'], given: Given, no: Refusal) {
  const { x, body } = exchangeOf(given)
  const result = createA2aParser({ hosts: [], paths: [], denial }).read(x, body)
  if (result.kind === 'not-mine' || result.refuse === undefined) throw new Error(JSON.stringify(result))
  const answer = result.refuse(no)
  return { ...answer, body: new TextDecoder().decode(answer.body) }
}

const send = (id: string) => `{"jsonrpc":"2.0",${id}"method":"message/send","params":{"message":{}}}`
const plain = '{"error":"ibac.blocked","message":"Not asked for.","plugin":"ibac","request_id":"r-1"}'
const error = (id: string) =>
  `{"jsonrpc":"2.0",${id}"error":{"code":-31403,"message":"Not asked for.","data":{"reason":"ibac.blocked","request_id":"r-1"}}}`

describe('a refusal', () => {
  test.each<[string, A2aConfig['denial'], Given, number, string]>([
    ['as HTTP by default', 'http_status', { body: send('"id":1,') }, 403, plain],
    ['as a JSON-RPC error', 'jsonrpc_error', { body: send('"id":1,') }, 200, error('"id":1,')],
    [
      'with the id as it was sent',
      'jsonrpc_error',
      { body: send('"id":9007199254740993,') },
      200,
      error('"id":9007199254740993,'),
    ],
    ['with an id of text', 'jsonrpc_error', { body: send('"id":"\\u0061",') }, 200, error('"id":"\\u0061",')],
    ['nobody waits for an id', 'jsonrpc_error', { body: send('') }, 403, error('')],
    ['over HTTP always as HTTP', 'jsonrpc_error', { path: '/message:send', body: { message: {} } }, 403, plain],
    [
      'a streaming call takes the error as JSON',
      'jsonrpc_error',
      { headers: { accept: 'application/json, text/event-stream' }, body: send('"id":1,').replace('send', 'stream') },
      200,
      error('"id":1,'),
    ],
  ])('%s', (_, denial, given, status, body) => {
    const answer = refusal(denial, given, blocked)
    expect([answer.status, answer.body, answer.details]).toEqual([status, body, 'ibac.blocked'])
    expect(answer.headers).toContainEqual(['content-type', 'application/json'])
  })

  test('who takes nothing but events gets one', () => {
    const answer = refusal(
      'jsonrpc_error',
      { headers: { accept: 'text/event-stream' }, body: send('"id":1,') },
      blocked,
    )
    expect(answer.body).toBe(`event: message\ndata: ${error('"id":1,')}\n\n`)
  })

  test.each<[string, unknown, number]>([
    ['no JSON', '{"jsonrpc":"2.0","method":', -32700],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'message/send' }], -32600],
    [
      'two contexts',
      { jsonrpc: '2.0', id: 1, method: 'message/send', params: { contextId: 'a', sessionId: 'b' } },
      -32600,
    ],
  ])('of what cannot be read: %s', (_, body, code) => {
    const answer = refusal('jsonrpc_error', { body }, unreadable)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } })
    expect(JSON.parse(refusal('http_status', { body }, unreadable).body)).toMatchObject({
      error: 'plumbline.unreadable',
    })
  })
})
