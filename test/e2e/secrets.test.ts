import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letOutCanaries, TELLING_HEADERS, tellingHeaders } from '../support/canaries.ts'
import { judgedChains } from '../support/chains.ts'
import type { Asked, Got } from '../support/clients.ts'
import { useStage } from '../support/e2e.ts'
import { startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, chatRequest, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { said } from '../support/plumbline.ts'
import { scratchFolder } from '../support/scratch.ts'

/*
 * Secrets do not travel. Every place that may hold one holds a word of its own, which is searched for in all bytes that
 * the judge, the log and the clients got. Words that do have to arrive somewhere show that the search finds them.
 */

const canaries = letOutCanaries()
const { canary, seenIn } = canaries
const SECRET_PLACES = ['judge_bearer', 'token', ...TELLING_HEADERS]
const JUDGE_BEARER = canary('judge_bearer')
const headers = { ...MCP_HEADERS, ...tellingHeaders(canaries) }

let judge: StubJudge
let folder: Awaited<ReturnType<typeof scratchFolder>>
const { stage } = useStage(async () => {
  judge = await startJudge(({ text }) => ({ verdict: text.includes('forbidden') ? 'deny' : 'allow', reason: 'r' }))
  folder = await scratchFolder()
  const token_file = join(folder.path, 'token')
  await writeFile(token_file, canary('token'), { mode: 0o600 })
  const config = {
    listener: { token_file },
    ...judgedChains({ judgeUrl: judge.url, ibac: { judge_bearer: JUDGE_BEARER, max_action_bytes: 2048 } }),
    // All that there is to be read.
    log: { level: 'debug' },
  }
  const changeEnvoy = (rendered: string) => rendered.replaceAll('%ENVIRONMENT(PLUMBLINE_TOKEN)%', canary('token'))
  return { config, changeEnvoy }
})
afterAll(async () => {
  await judge.close()
  await folder.close()
})

const refused: Got[] = []
async function ask(direction: 'inbound' | 'outbound', asked: Omit<Asked, 'host'>, status: number): Promise<Got> {
  const host = direction === 'inbound' ? 'agent' : 'upstream.test'
  const got = await stage()
    .client('h1', direction)
    .send({ host, headers, ...asked })
  expect([got.status, got.text]).toEqual([status, expect.anything()])
  if (status !== 200) refused.push(got)
  await stage().plumbline().record(got.requestId)
  return got
}

const judgeSaw = () => judge.questions.map(({ arrival }) => JSON.stringify(arrival.headers) + arrival.body.toString())
const printed = () => said(stage().plumbline().program)
const clientsSaw = () => refused.map(({ rawHeaders, text }) => JSON.stringify(rawHeaders) + text).join('\n')

beforeAll(async () => {
  stage().agent.answer((_arrival, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(a2aAnswer(`Done, ${canary('agent-answer')}.`))
  })
  const tool = (name: string) => mcpCall(name, { note: canary('argument'), bearer: JUDGE_BEARER })
  await ask('inbound', { body: a2aSend(`Tell me the weather, ${canary('intent')}.`) }, 200)
  await ask('outbound', { path: `/mcp?key=${canary('query')}`, body: tool('get_weather') }, 200)
  await ask('outbound', { path: `/mcp?key=${canary('query')}`, body: tool('forbidden') }, 403)
  // A request with MCP's own header is read as MCP wherever it goes.
  const plain = { ...headers, 'mcp-session-id': [] }
  const form = { ...plain, 'content-type': 'application/x-www-form-urlencoded' }
  await ask(
    'outbound',
    { path: '/collect', headers: form, body: `forbidden=1&b=${JUDGE_BEARER}&c=${canary('form')}` },
    403,
  )
  await ask('outbound', { path: '/thing', headers: plain }, 200)
  await ask(
    'outbound',
    { path: '/v1/chat/completions', headers: plain, body: chatRequest(`Hello ${canary('prompt')}`) },
    200,
  )
  // What cannot be read: the log says why, without quoting it.
  await ask('outbound', { path: '/mcp', body: `[{"jsonrpc":"2.0","${canary('batch')}":1}]` }, 400)
  await ask('outbound', { path: '/mcp', body: `{"jsonrpc":"2.0","${canary('malformed')}":` }, 400)
  const twice = `{"jsonrpc":"2.0","id":1,"method":"tools/call","${canary('key')}":1,"${canary('key')}":2}`
  await ask('outbound', { path: '/mcp', body: twice }, 400)
  const unknown = { ...headers, 'content-encoding': canary('encoding') }
  await ask('outbound', { path: '/mcp', body: tool('get_weather'), headers: unknown }, 415)
  // The judge is gone, and says why in an error of the transport.
  const gone = judge.questions.length
  judge.judge(() => 'hang-up')
  await ask('outbound', { path: '/mcp', body: tool('get_weather') }, 503)
  judge.judge(() => ({ status: 500, body: `{"error":"${canary('judge-error')}"}` }))
  await ask('outbound', { path: '/mcp', body: tool('get_weather') }, 503)
  judge.judge(() => ({ content: `{"verdict":"deny","reason":"as ${canary('reason')} says"}` }))
  await ask('outbound', { path: '/mcp', body: tool('get_weather') }, 403)
  expect(judge.questions.length).toBe(gone + 3)
})

describe('the judge', () => {
  test('is shown the action and the intent', () => {
    expect(seenIn(judgeSaw().join('\n'), ['argument', 'intent', 'query', 'form'])).toHaveLength(4)
  })

  test('gets its bearer, in its header alone', () => {
    for (const { arrival } of judge.questions) {
      const own = arrival.headers.filter(([, value]) => value.includes(JUDGE_BEARER))
      expect(own).toEqual([['authorization', `Bearer ${JUDGE_BEARER}`]])
      expect(arrival.body.toString()).not.toContain(JUDGE_BEARER)
    }
  })

  test('sees no header of anybody, and nothing else that is configured', () => {
    const places = SECRET_PLACES.filter((place) => place !== 'judge_bearer')
    expect(seenIn(judgeSaw().join('\n'), places)).toEqual([])
  })
})

describe('the log', () => {
  test('says what happened, at its most talkative level', () => {
    expect(stage().plumbline().records().length).toBe(refused.length + 4)
    // A judge's reason is what an operator needs; it is shown as a model's text.
    expect(seenIn(printed(), ['reason'])).toEqual(['reason'])
  })

  test('holds no secret, no payload and no header', () => {
    const places = canaries.places().filter((place) => place !== 'reason')
    expect(seenIn(printed(), places)).toEqual([])
  })
})

test('a refused client is told nothing but the code', () => {
  expect(refused).toHaveLength(9)
  expect(seenIn(clientsSaw(), canaries.places())).toEqual([])
  expect(clientsSaw()).not.toContain(judge.url)
  expect(clientsSaw()).toContain('ibac.judge_unavailable')
})
