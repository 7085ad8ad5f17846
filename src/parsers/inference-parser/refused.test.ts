import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { Refusal } from '../../core/ruling.ts'
import { exchangeOf } from '../../../test/support/parsers/exchange.ts'
import { createInferenceParser } from './index.ts'

const parser = createInferenceParser([])
const BLOCKED: Refusal = {
  code: 'ibac.blocked',
  status: 403,
  message: 'Not asked for.',
  plugin: 'ibac',
  requestId: 'r-1',
}
const DOWN: Refusal = { ...BLOCKED, code: 'ibac.judge_unavailable', status: 503 }

const messages = [{ role: 'user' as const, content: 'hello' }]

/** Each client asks its model; every request is refused with our bytes. */
const CLIENTS: readonly [string, (through: typeof fetch) => Promise<unknown>][] = [
  [
    'openai',
    (through) =>
      new OpenAI({ apiKey: 'none', baseURL: 'http://m.test/v1', fetch: through }).chat.completions.create({
        model: 'm',
        messages,
      }),
  ],
  [
    'openai, in a stream',
    (through) =>
      new OpenAI({ apiKey: 'none', baseURL: 'http://m.test/v1', fetch: through }).chat.completions
        .stream({ model: 'm', messages })
        .finalChatCompletion(),
  ],
  [
    '@anthropic-ai/sdk',
    (through) =>
      new Anthropic({ apiKey: 'none', baseURL: 'http://m.test', fetch: through }).messages.create({
        model: 'm',
        max_tokens: 9,
        messages,
      }),
  ],
  [
    '@anthropic-ai/sdk, in a stream',
    (through) =>
      new Anthropic({ apiKey: 'none', baseURL: 'http://m.test', fetch: through }).messages
        .stream({ model: 'm', max_tokens: 9, messages })
        .finalMessage(),
  ],
]

async function refused(ask: (through: typeof fetch) => Promise<unknown>, no: Refusal) {
  let asked = 0
  const through: typeof fetch = async (url, init) => {
    asked += 1
    const { pathname } = new URL(url instanceof Request ? url.url : url)
    const { x, body } = exchangeOf({ path: pathname, method: 'POST', body: init?.body })
    const reading = parser.read(x, body)
    if (reading.kind !== 'read') throw new Error(reading.kind)
    const answer = reading.refuse(no)
    const headers = answer.headers.map(([name, value]): [string, string] => [name, value])
    // Clients wait longer before each time that they ask again.
    return new Response(Buffer.from(answer.body), {
      status: answer.status,
      headers: [...headers, ['retry-after-ms', '1']],
    })
  }
  const error = await ask(through).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { asked, error }
}

describe('a refused question to a model', () => {
  test.each(CLIENTS)('%s: a permission error, and no second try', async (_, ask) => {
    const { asked, error } = await refused(ask, BLOCKED)
    expect(asked).toBe(1)
    expect(error).toHaveProperty('status', 403)
    expect(error instanceof OpenAI.PermissionDeniedError || error instanceof Anthropic.PermissionDeniedError).toBe(true)
    // One shows its user the code, the other the message.
    expect(String(error)).toMatch(/ibac\.blocked|Not asked for\./)
  })

  test.each(CLIENTS)('%s: a judge that is down is asked again', async (_, ask) => {
    const { asked, error } = await refused(ask, DOWN)
    expect(asked).toBe(3)
    expect(error).toHaveProperty('status', 503)
  })
})
