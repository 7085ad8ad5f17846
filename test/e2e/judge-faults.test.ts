import { beforeAll, describe, expect, test } from 'vitest'
import { IBAC_CODES } from '../../src/gates/ibac/codes.ts'
import { judgedChains } from '../support/chains.ts'
import type { Client, Got } from '../support/clients.ts'
import { useStage } from '../support/e2e.ts'
import { completion } from '../support/judge.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS } from '../support/messages.ts'
import { sightOf } from '../support/sight.ts'
import { startUpstream } from '../support/upstream.ts'
import type { Answerer, Upstream } from '../support/upstream.ts'

/*
 * A judge that does not do its work, in every way that a server can fail: no action passes, and the refusal says whose
 * fault it is. The judge is a bare HTTP server here, since it has to break HTTP itself.
 */

/** Long enough for a judge that answers, on a machine that is busy. */
const TIMEOUT_MS = 2000

const YES = '{"verdict":"allow","reason":"it is what the user asked for"}'

const json =
  (body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Answerer =>
  (_arrival, outgoing) => {
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
    outgoing.end(body)
  }
const says = (content: string): Answerer => json(completion(content))
/** Allows, however it is asked. */
const allows = says(YES)

interface Fault {
  readonly name: string
  /** `later` settles when the clients have their refusals. */
  readonly answer: (later: Promise<void>) => Answerer
  readonly reason: 'judge_unavailable' | 'judge_uncertain'
  readonly details: Readonly<Record<string, unknown>>
  /** Shown with every way of saying no; the others with the plain one. */
  readonly everywhere?: true
}

const unavailable = (judge_failure: unknown) => ({ reason: 'judge_unavailable', details: { judge_failure } }) as const
const uncertain = (why: string) =>
  ({ reason: 'judge_uncertain', details: { llm_reason: `The judge's answer ${why}.` } }) as const

const FAULTS: readonly Fault[] = [
  {
    name: 'says yes when it is too late',
    answer: (later) => async (arrival, outgoing) => {
      await later
      await allows(arrival, outgoing)
    },
    ...unavailable('time-out'),
    everywhere: true,
  },
  {
    name: 'begins to say yes, and does not end',
    answer: () => (_arrival, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.write(completion(YES).slice(0, -1))
    },
    ...unavailable('time-out'),
  },
  {
    name: 'hangs up',
    answer: () => (_arrival, outgoing) => void outgoing.destroy(),
    ...unavailable(expect.stringMatching(/^unreachable \(/)),
  },
  {
    name: 'hangs up in its answer',
    answer: () => (_arrival, outgoing) => {
      const yes = completion(YES)
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': yes.length + 1 })
      outgoing.write(yes, () => outgoing.destroy())
    },
    ...unavailable(expect.stringMatching(/^unreachable \(/)),
  },
  {
    name: 'does not speak HTTP',
    answer: () => (_arrival, outgoing) => void outgoing.socket?.end(`${YES}\r\n\r\n`),
    ...unavailable(expect.stringMatching(/^unreachable \(/)),
  },
  ...[500, 503, 401, 403, 404, 429, 300].map((status): Fault => ({
    name: `answers ${status}, with a yes in it`,
    answer: () => json(completion(YES), status),
    ...unavailable(`status ${status}`),
  })),
  ...[302, 307].map((status): Fault => ({
    name: `redirects with ${status} to where a yes is`,
    answer: () => (arrival, outgoing) =>
      arrival.path === '/yes'
        ? allows(arrival, outgoing)
        : json(completion(YES), status, { location: '/yes' })(arrival, outgoing),
    ...unavailable(`status ${status}`),
  })),
  {
    name: 'says yes at more length than anybody reads',
    answer: () => says(YES + ' '.repeat(1024 * 1024)),
    ...unavailable('answer over 1048576 bytes'),
  },
  {
    name: 'answers garbage',
    answer: () => json('<html>allow</html>'),
    ...uncertain('is no completion: not JSON'),
    everywhere: true,
  },
  { name: 'answers nothing', answer: () => json(''), ...uncertain('is no completion: not JSON') },
  { name: 'answers 204', answer: () => json('', 204), ...uncertain('is no completion: not JSON') },
  { name: 'gives no choices', answer: () => json('{"choices":[]}'), ...uncertain('has no text') },
  { name: 'gives an error as its answer', answer: () => json('{"error":{}}'), ...uncertain('has no text') },
  { name: 'says prose', answer: () => says('I would allow that.'), ...uncertain('has no verdict') },
  {
    name: 'says another word',
    answer: () => says('{"verdict":"allowed"}'),
    ...uncertain('has a word that is no verdict'),
  },
  {
    name: 'says two verdicts',
    answer: () => says(`${YES}\n{"verdict":"deny","reason":"or not"}`),
    ...uncertain('has verdicts that differ'),
  },
  {
    name: 'says two verdicts under one key',
    answer: () => says('{"verdict":"deny","verdict":"allow"}'),
    ...uncertain('has a verdict that cannot be read'),
  },
  {
    name: 'makes two choices',
    answer: () =>
      json(JSON.stringify({ choices: [YES, '{"verdict":"deny"}'].map((content) => ({ message: { content } })) })),
    ...uncertain('has verdicts that differ'),
  },
]

// Tokens that a parser which reads ids into values would write in another way.
const DENIALS = [
  { denial: 'http_status', id: '1', faults: FAULTS },
  { denial: 'jsonrpc_error', id: '12345678901234567890123', faults: FAULTS.filter((fault) => fault.everywhere) },
  { denial: 'tool_result', id: String.raw`"call-\u0031\/x"`, faults: FAULTS.filter((fault) => fault.everywhere) },
] as const

const PLAIN = { host: 'upstream.test', path: '/collect', body: 'code=TX-991' }

describe.each(DENIALS)('denial: $denial', ({ denial, id, faults }) => {
  const call = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"send_mail","arguments":{"code":"TX-991"}}}`
  const mcp = { host: 'upstream.test', path: '/mcp', body: call, headers: MCP_HEADERS }
  let judge: Upstream
  let clients: readonly [Client, Client]
  const { stage } = useStage(async () => {
    judge = await startUpstream('h1', allows)
    return {
      config: judgedChains({
        judgeUrl: `http://127.0.0.1:${judge.port}`,
        mcp: { denial },
        ibac: { timeout_ms: TIMEOUT_MS },
      }),
    }
  })
  const exfiltrate = () => Promise.all([clients[0].send(PLAIN), clients[1].send(mcp)])

  beforeAll(async () => {
    clients = [stage().client('h1', 'outbound'), stage().client('h1', 'outbound')]
    stage().agent.answer((_arrival, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(a2aAnswer('Done.'))
    })
    const user = stage().client('h1', 'inbound')
    const got = await user.send({ host: 'agent', body: a2aSend('Tell me the weather.'), headers: MCP_HEADERS })
    expect(got.status).toBe(200)
    return () => judge.close()
  })

  async function expectRefusals(refused: readonly [Got, Got], { reason, details }: Omit<Fault, 'answer' | 'name'>) {
    const code = `ibac.${reason}` as const
    expectPlain(refused[0], code)
    if (denial === 'http_status') expectPlain(refused[1], code)
    if (denial === 'jsonrpc_error') expectRpcError(refused[1], code, id)
    if (denial === 'tool_result') expectToolResult(refused[1], code, id)
    for (const got of refused) {
      expect(await stage().plumbline().record(got.requestId)).toMatchObject({
        direction: 'outbound',
        phase: 'denied',
        statusCode: got.status,
        session: { certainty: 'inferred' },
      })
      const { invocations } = await stage().plumbline().record(got.requestId)
      expect(invocations.filter(({ plugin }) => plugin === 'ibac')).toEqual([
        {
          plugin: 'ibac',
          action: 'deny',
          phase: 'request',
          reason,
          actionId: 0,
          details: expect.objectContaining({ ...details, model: 'stub', candidates: 1 }) as unknown,
        },
      ])
      expect((await stage().envoy.accessLine(got.requestId)).details).toBe(code)
    }
  }

  test.each(faults)('a judge that $name', async ({ answer, ...fault }) => {
    judge.answer(allows)
    const twins = await exfiltrate()
    expect(twins.map(({ status }) => status)).toEqual([200, 200])
    expect(
      stage()
        .upstream.arrivals.slice(-2)
        .map(({ body }) => body.toString())
        .sort(),
    ).toEqual([PLAIN.body, call])
    const before = sightOf(stage().upstream)
    const asked = judge.arrivals.length
    let refusalsAreHere = (): void => undefined
    judge.answer(answer(new Promise((done) => (refusalsAreHere = done))))

    const refused = await exfiltrate()
    refusalsAreHere()

    await expectRefusals(refused, fault)
    expect(judge.arrivals.length).toBe(asked + 2)
    expect(sightOf(stage().upstream)).toEqual(before)
  })

  test('a judge that is down', async () => {
    judge.answer(allows)
    expect((await exfiltrate()).map(({ status }) => status)).toEqual([200, 200])
    const before = sightOf(stage().upstream)
    await judge.close()

    await expectRefusals(await exfiltrate(), unavailable(expect.stringMatching(/^unreachable \(/)))

    expect(sightOf(stage().upstream)).toEqual(before)
  })
})

type Code = keyof typeof IBAC_CODES

function expectPlain(got: Got, code: Code): void {
  const { status, message } = IBAC_CODES[code]
  expect([got.status, got.headers['content-type']]).toEqual([status, 'application/json'])
  expect(JSON.parse(got.text)).toEqual({ error: code, message, plugin: 'ibac', request_id: got.requestId })
}

function expectRpcError(got: Got, code: Code, id: string): void {
  const { status, message } = IBAC_CODES[code]
  expect([got.status, got.headers['content-type']]).toEqual([200, 'application/json'])
  expect(got.text).toContain(`"id":${id},`)
  expect(JSON.parse(got.text)).toMatchObject({
    jsonrpc: '2.0',
    error: { code: -31000 - status, message, data: { reason: code, request_id: got.requestId } },
  })
}

function expectToolResult(got: Got, code: Code, id: string): void {
  expect([got.status, got.headers['content-type']]).toEqual([200, 'application/json'])
  expect(got.text).toContain(`"id":${id},`)
  const text = expect.stringContaining(code) as unknown
  expect(JSON.parse(got.text)).toMatchObject({
    jsonrpc: '2.0',
    result: { isError: true, content: [{ type: 'text', text }] },
  })
}
