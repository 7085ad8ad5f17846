import { describe, expect, test } from 'vitest'
import type { JsonClient, JsonResult } from '../client/json.ts'
import { completionsUrl, createChatModel, type ChatOptions } from './chat.ts'

const options: ChatOptions = {
  endpoint: 'http://judge.test:11434',
  model: 'm',
  bearer: '',
  maxTokens: 1024,
  jsonMode: true,
  extra: {},
  headers: { 'x-mark': '1' },
}

interface Sent {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

async function ask(more: Partial<ChatOptions>, value: unknown = { choices: [{ message: { content: 'yes' } }] }) {
  const sent: Sent[] = []
  const client: JsonClient = {
    post: (url, headers, body) => {
      sent.push({ url, headers, body })
      return Promise.resolve<JsonResult>({ ok: true, value })
    },
    close: () => undefined,
  }
  const model = createChatModel(client, { ...options, ...more })
  const result = await model.ask({ system: 'be strict', user: 'may I?' }, new AbortController().signal)
  const [first] = sent
  if (first === undefined || sent.length > 1) throw new Error('not asked once')
  return { result, sent: first }
}

describe('the question', () => {
  // req: ibac:field:judge_endpoint, ibac:field:judge_model
  test('goes to the completions of the endpoint, with the model and both voices', async () => {
    const { sent } = await ask({})
    expect(sent.url.href).toBe('http://judge.test:11434/v1/chat/completions')
    expect(sent.body).toEqual({
      max_tokens: 1024,
      response_format: { type: 'json_object' },
      model: 'm',
      messages: [
        { role: 'system', content: 'be strict' },
        { role: 'user', content: 'may I?' },
      ],
      stream: false,
    })
  })

  test.each([
    ['http://j', 'http://j/v1/chat/completions'],
    ['http://j/', 'http://j/v1/chat/completions'],
    ['https://j/team/a//', 'https://j/team/a/v1/chat/completions'],
  ])('of the endpoint %s goes to %s', (endpoint, url) => {
    expect(completionsUrl(endpoint).href).toBe(url)
  })

  // req: ibac:field:judge_bearer, ibac:default:judge_bearer
  test.each([
    ['', { 'x-mark': '1' }],
    ['secret', { 'x-mark': '1', authorization: 'Bearer secret' }],
  ])('with the bearer "%s" has the headers %o', async (bearer, headers) => {
    expect((await ask({ bearer })).sent.headers).toEqual(headers)
  })

  test.each([
    ['no limit of tokens', { maxTokens: 0 }, 'max_tokens', undefined],
    ['no JSON mode', { jsonMode: false }, 'response_format', undefined],
    ['an extra member', { extra: { temperature: 0 } }, 'temperature', 0],
    ['an extra member that replaces ours', { extra: { max_tokens: 5 } }, 'max_tokens', 5],
    ['an extra model', { extra: { model: 'other' } }, 'model', 'm'],
    ['an extra stream', { extra: { stream: true } }, 'stream', false],
  ])('with %s', async (_name, more, member, value) => {
    const { sent } = await ask(more)
    expect((sent.body as Record<string, unknown>)[member]).toEqual(value)
  })
})

describe('the answer', () => {
  const said = (...contents: readonly unknown[]) => ({ choices: contents.map((content) => ({ message: { content } })) })
  test.each([
    ['one choice', said('yes'), { ok: true, text: 'yes', usage: {} }],
    ['all choices, since they may differ', said('yes', 'no'), { ok: true, text: 'yes\nno', usage: {} }],
    ['a choice without text beside one with', said('yes', null), { ok: false, failure: { kind: 'no_text' } }],
    ['no choices', said(), { ok: false, failure: { kind: 'no_text' } }],
    ['no list of choices', { choices: {} }, { ok: false, failure: { kind: 'no_text' } }],
    ['a refusal', said(null), { ok: false, failure: { kind: 'no_text' } }],
    ['something else', [1], { ok: false, failure: { kind: 'no_text' } }],
    ['nothing', null, { ok: false, failure: { kind: 'no_text' } }],
  ])('%s', async (_name, value, result) => {
    expect((await ask({}, value)).result).toEqual(result)
  })

  test.each([
    [
      { prompt_tokens: 12, completion_tokens: 3 },
      { inputTokens: 12, outputTokens: 3 },
    ],
    [{ prompt_tokens: 12 }, { inputTokens: 12 }],
    [{ prompt_tokens: '12', completion_tokens: -1 }, {}],
    [{ prompt_tokens: 1.5, completion_tokens: 1e30 }, {}],
    ['many', {}],
  ])('says the tokens of %j', async (usage, expected) => {
    expect((await ask({}, { ...said('yes'), usage })).result).toEqual({ ok: true, text: 'yes', usage: expected })
  })

  test('that could not be had is passed on', async () => {
    const failure = { kind: 'status', status: 500 } as const
    const model = createChatModel(
      { post: () => Promise.resolve({ ok: false, failure }), close: () => undefined },
      options,
    )
    expect(await model.ask({ system: '', user: '' }, new AbortController().signal)).toEqual({ ok: false, failure })
  })
})
