import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letOutCanaries, TELLING_HEADERS, tellingHeaders } from '../support/canaries.ts'
import type { Got } from '../support/clients.ts'
import { Closing } from '../support/closing.ts'
import { DIALECT_SERVERS } from '../support/completions/dialects.ts'
import type { DialectServer, Turn } from '../support/completions/dialects.ts'
import { useStage } from '../support/e2e.ts'
import { startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { said } from '../support/plumbline.ts'
import { approve, reject, startReflector } from '../support/reflector.ts'
import type { Reflecting, StubReflector } from '../support/reflector.ts'
import { scratchFolder } from '../support/scratch.ts'
import type { Answerer } from '../support/upstream.ts'

/*
 * Secrets do not travel with calls that are held against a conversation: not to the reflector, not to the judge of what
 * a model proposes, not into the log, and not into an answer that was changed, withheld or refused.
 */

const canaries = letOutCanaries()
const { canary, seenIn } = canaries
const BEARERS = { reflector: canary('reflector_bearer'), judge: canary('judge_bearer') }
/** Of the model's own answers; their client gets them, and nobody else. */
const ANSWER_HEADERS = ['set-cookie', 'x-request-cost', 'openai-organization']
const SECRET_PLACES = ['reflector_bearer', 'judge_bearer', 'token', ...TELLING_HEADERS]
const headers = { ...MCP_HEADERS, ...tellingHeaders(canaries) }
/** Of MCP alone. */
const modelHeaders = { ...headers, 'mcp-session-id': [] }

const world = new Closing()
let judge: StubJudge
let reflector: StubReflector

const { stage } = useStage(async () => {
  judge = world.add(
    await startJudge(({ text }) => ({
      verdict: text.includes('forbidden') ? 'deny' : 'allow',
      reason: `as ${canary('judge-reason')} says`,
    })),
  )
  reflector = world.add(await startReflector())
  const token_file = join(world.add(await scratchFolder()).path, 'token')
  await writeFile(token_file, canary('token'), { mode: 0o600 })
  const ibac = { judge_endpoint: judge.url, judge_model: 'stub', judge_bearer: BEARERS.judge, judge_completions: true }
  const sparc = { reflector_endpoint: reflector.url, reflector_bearer: BEARERS.reflector, fail_policy: 'closed' }
  const uncached = { cache_ttl_ms: 0 }
  return {
    config: {
      listener: { token_file },
      // All that there is to be read.
      log: { level: 'debug' },
      pipeline: {
        inbound: { plugins: ['a2a-parser'] },
        outbound: {
          plugins: [
            'mcp-parser',
            'inference-parser',
            { name: 'ibac', config: { ...ibac, ...uncached } },
            { name: 'sparc', id: 'sparc-answers', config: { ...sparc, ...uncached, enforcement: 'inference' } },
            { name: 'sparc', id: 'sparc-calls', config: { ...sparc, ...uncached } },
          ],
        },
      },
    },
    changeEnvoy: (rendered: string) => rendered.replaceAll('%ENVIRONMENT(PLUMBLINE_TOKEN)%', canary('token')),
  }
})
afterAll(() => world.close())

const clientsGot: Got[] = []
const statuses: number[] = []
async function note(got: Got): Promise<Got> {
  clientsGot.push(got)
  statuses.push(got.status)
  await stage().plumbline().record(got.requestId)
  return got
}

/** In a stream its arguments come in two halves: the word is whole in one of them. */
const turn = (tool = 'refund'): Turn => ({
  text: `Let me see, ${canary('model-text')}.`,
  calls: [{ id: canary('call-id'), name: tool, args: { id: canary('argument'), again: canary('argument') } }],
})

/** The agent asks its model, which answers with these bytes. */
async function think(server: DialectServer, stream: boolean, bytes: string, more: Record<string, string> = {}) {
  const answer: Answerer = (_arrival, outgoing) => {
    const own = Object.fromEntries(ANSWER_HEADERS.map((name) => [name, canary(name)]))
    const type = stream ? 'text/event-stream' : 'application/json'
    outgoing.writeHead(200, { 'content-type': type, ...own, ...more })
    outgoing.end(bytes)
  }
  stage().upstream.answer(answer)
  const tool = { name: 'refund', description: canary('tool'), parameters: {}, input_schema: {} }
  const body = JSON.stringify({
    ...{ model: 'm', max_tokens: 9, stream, messages: [{ role: 'user', content: `Refund it, ${canary('prompt')}.` }] },
    tools: [server.name === 'messages' ? tool : { type: 'function', function: tool }],
  })
  const agent = stage().client('h1', 'outbound')
  const path = `${server.path}?key=${canary('query')}`
  return note(await agent.send({ host: 'upstream.test', path, headers: modelHeaders, body }))
}

async function callTool(tool = 'refund'): Promise<Got> {
  const agent = stage().client('h1', 'outbound')
  const body = mcpCall(tool, { id: canary('argument') })
  return note(await agent.send({ host: 'upstream.test', path: '/mcp', headers, body }))
}

const FAILURES: readonly Reflecting[] = [
  () => ({ status: 500, error: canary('reflector-error') }),
  () => ({
    decision: 'error',
    issues: [],
    overall_avg_score: null,
    execution_time_ms: 1,
    x: canary('reflector-error'),
  }),
  () => ({ decision: canary('reflector-error') }),
]

beforeAll(async () => {
  stage().agent.answer((_arrival, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(a2aAnswer('Done.'))
  })
  const user = stage().client('h1', 'inbound')
  await note(await user.send({ host: 'agent', headers, body: a2aSend(`Refund my coffee, ${canary('intent')}.`) }))
  for (const server of DIALECT_SERVERS) {
    for (const stream of [false, true]) {
      const say = (tool?: string) => {
        const said = turn(tool)
        return think(server, stream, stream ? server.events(said).join('') : server.whole(said))
      }
      reflector.reflect(approve)
      expect((await say()).text).toContain(canary('argument'))
      await say('forbidden')
      reflector.reflect(reject())
      await say()
      for (const failure of FAILURES) {
        reflector.reflect(failure)
        await say()
      }
      // What cannot be looked into: the log says why, without quoting it.
      const twice = `{"${canary('key')}":1,"${canary('key')}":2,"choices":[],"content":[]}`
      await think(server, stream, stream ? `data: ${twice}\n\n` : twice)
      await think(server, stream, canary('garbage'), { 'content-encoding': canary('encoding') })
    }
  }
  reflector.reflect(approve)
  expect((await callTool()).status).toBe(200)
  await callTool('forbidden')
  reflector.reflect(reject())
  expect((await callTool()).text).toContain('"isError":true')
  for (const failure of FAILURES) {
    reflector.reflect(failure)
    expect((await callTool()).status).toBe(503)
  }
})

const reflectorSaw = () =>
  reflector.questions.map(({ arrival }) => JSON.stringify(arrival.headers) + arrival.path + arrival.body.toString())
const judgeSaw = () => judge.questions.map(({ arrival }) => JSON.stringify(arrival.headers) + arrival.body.toString())
const printed = () => said(stage().plumbline().program)

describe('the reflector', () => {
  test('is shown the conversation, the tools and the call', () => {
    expect(reflectorSaw().length).toBe(4 * 5 + 5)
    for (const question of reflectorSaw()) {
      expect(seenIn(question, ['prompt', 'tool', 'argument'])).toEqual(['prompt', 'tool', 'argument'])
    }
  })

  // req: sparc:end_to_end:bearer, sparc:field:reflector_bearer
  test('gets its bearer, in its header alone', () => {
    for (const { arrival } of reflector.questions) {
      const own = arrival.headers.filter(([, value]) => value.includes(BEARERS.reflector))
      expect(own).toEqual([['authorization', `Bearer ${BEARERS.reflector}`]])
      expect(arrival.body.toString()).not.toContain(BEARERS.reflector)
    }
  })

  test('sees no header of anybody, and nothing else that is configured', () => {
    const places = [...SECRET_PLACES, ...ANSWER_HEADERS, 'query', 'intent', 'judge-reason']
    expect(
      seenIn(
        reflectorSaw().join('\n'),
        places.filter((place) => place !== 'reflector_bearer'),
      ),
    ).toEqual([])
  })
})

test('the judge of what a model proposes sees no header of anybody, and of what is configured its own bearer', () => {
  expect(seenIn(judgeSaw().join('\n'), ['argument', 'intent'])).toHaveLength(2)
  expect(seenIn(judgeSaw().join('\n'), [...SECRET_PLACES, ...ANSWER_HEADERS])).toEqual(['judge_bearer'])
})

describe('the log', () => {
  test('says what happened, at its most talkative level', () => {
    expect(stage().plumbline().records()).toHaveLength(clientsGot.length)
    expect(seenIn(printed(), ['judge-reason'])).toHaveLength(1)
  })

  test('holds no secret, no payload and no header', () => {
    const places = canaries.places().filter((place) => place !== 'judge-reason')
    expect(seenIn(printed(), places)).toEqual([])
  })
})

describe('clients', () => {
  test('get their answers, whatever became of them', () => {
    // Per dialect and form: one passes, four have words in place of the call, one or two cannot be looked into.
    expect(new Set(statuses)).toEqual(new Set([200, 403, 502, 503]))
    const told = clientsGot.map(({ text }) => text).join('\n')
    for (const code of ['sparc.reflector_unavailable', 'ibac.blocked', 'plumbline.unreadable_answer']) {
      expect(told).toContain(code)
    }
  })

  test('are told no secret', () => {
    const all = clientsGot.map(({ rawHeaders, text }) => JSON.stringify(rawHeaders) + text).join('\n')
    expect(seenIn(all, [...SECRET_PLACES, 'judge-reason', 'reflector-error', 'query', 'intent'])).toEqual([])
    expect(all).not.toContain(reflector.url)
    expect(all).not.toContain(judge.url)
  })

  test('get nothing of a call that was taken out', () => {
    const refused = clientsGot.filter(({ text }) => /ibac\.|sparc\.|stopped|plumbline\./.test(text))
    expect(refused.length).toBeGreaterThan(30)
    for (const { text } of refused) expect(seenIn(text, ['argument', 'call-id', 'key', 'garbage'])).toEqual([])
  })
})
