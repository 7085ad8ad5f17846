import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { exchangeRoutes } from '../admin/exchanges.ts'
import { type AdminServer, createAdminServer } from '../admin/server.ts'
import { PLUMBLINE_CODES } from '../core/errors.ts'
import type { ExchangeRecord, Invocation } from '../core/record.ts'
import { runCli } from './cli.ts'
import { explanation } from './explanation.ts'
import { PLUGIN_TYPES } from './plugins.ts'

const ALLOWED: Invocation = { plugin: 'ibac', action: 'allow', phase: 'request', reason: 'aligned', actionId: 0 }
const BLOCKED: Invocation = {
  ...ALLOWED,
  action: 'deny',
  reason: 'blocked',
  details: { llm_reason: 'Nobody\u001b[31m asked\nfor that.', latency_ms: 12 },
}

const REFUSED: ExchangeRecord = {
  sessionId: 'pse_1',
  requestId: 'r-1',
  traceId: 'abc',
  workload: 'agent',
  at: '2026-11-30T14:14:46.057Z',
  direction: 'outbound',
  phase: 'denied',
  host: 'mail.example.com',
  method: 'POST',
  path: '/send',
  statusCode: 403,
  refusal: { plugin: 'ibac', code: 'ibac.blocked' },
  durationMs: 404.8,
  session: { method: 'handle', certainty: 'exact' },
  invocations: [{ plugin: 'mcp-parser', action: 'skip', phase: 'request', reason: 'not_mine' }, BLOCKED],
}
const { refusal: _, ...rest } = REFUSED
const PASSED: ExchangeRecord = { ...rest, phase: 'response', statusCode: 200, invocations: [ALLOWED] }

describe('an explanation', () => {
  test('of a refusal says whose it was, what the judge said, how the session was found, and what to do', () => {
    expect(explanation(REFUSED).split('\n')).toEqual([
      expect.stringMatching(/^Refused by ibac with 403 ibac\.blocked: \S/),
      'It was "POST mail.example.com/send", outbound, of workload "agent", at 2026-11-30T14:14:46.057Z, and took 405 ms (request "r-1", trace abc).',
      'Its session is pse_1, found by the handle that the agent passed on: that is certain.',
      'What each plugin did:',
      '  - mcp-parser did nothing: not_mine',
      '  - ibac refused action 0: blocked; the judge said "Nobody [31m asked for that.", milliseconds 12',
      expect.stringMatching(/^If this is wrong: the judge does not see/),
    ])
  })

  test.each<[string, Partial<ExchangeRecord>, RegExp]>([
    ['passed', {}, /^Passed; answered with 200\.$/m],
    [
      'that a gate only observed',
      { invocations: [{ ...BLOCKED, shadow: true }] },
      /ibac would have refused it, and only observes/,
    ],
    [
      'whose answer lost a call',
      { invocations: [{ ...BLOCKED, phase: 'response' }] },
      /one part of its answer \(200\) did not/,
    ],
    [
      'that passed unchecked',
      { invocations: [{ ...ALLOWED, action: 'failed', details: { passed: true } }] },
      /^Passed without a check/,
    ],
    ['that ended early', { phase: 'request', statusCode: undefined }, /^Ended before an answer came/],
    ['of a lost session', { session: { method: 'handle', certainty: 'lost' } }, /session that is gone/],
    ['of no session', { session: { method: 'none', certainty: 'none' } }, /no session that is known/],
    [
      'of several sessions',
      { session: { method: 'in_flight', certainty: 'ambiguous' } },
      /several sessions \(in_flight\)/,
    ],
    ['with a kept verdict', { invocations: [{ ...ALLOWED, cached: true }] }, /verdict that was at hand/],
  ])('of one %s', (_name, over, expected) => {
    expect(explanation({ ...PASSED, ...over })).toMatch(expected)
  })

  test.each([...Object.keys(PLUMBLINE_CODES), ...PLUGIN_TYPES.flatMap(({ codes }) => Object.keys(codes))])(
    'of %s says what to do',
    (code) => {
      expect(explanation({ ...REFUSED, refusal: { plugin: 'p', code } })).toMatch(/\nIf this is wrong: \S/)
    },
  )
})

let folder = ''
let server: AdminServer | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-explain-'))
  await writeFile(join(folder, 'token'), 'letmein')
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(async () => {
  vi.restoreAllMocks()
  await server?.stop()
  server = undefined
})

describe('plumbline explain', () => {
  async function run(id: string, token: string | undefined, ...more: string[]) {
    const recent = { last: () => [], of: (asked: string) => (asked === 'r/1' ? [REFUSED] : []) }
    const authorize = (shown: string | undefined) =>
      token === undefined ? 'unset' : shown === `Bearer ${token}` ? 'yes' : 'no'
    server = createAdminServer({ address: '127.0.0.1:0', routes: exchangeRoutes(recent), authorize })
    const out: string[] = []
    const err: string[] = []
    vi.spyOn(console, 'log').mockImplementation((text: string) => void out.push(text))
    vi.spyOn(console, 'error').mockImplementation((text: string) => void err.push(text))
    const code = await runCli(['explain', id, '--admin', await server.start(), ...more])
    return { code, out: out.join('\n'), err: err.join('\n') }
  }
  const shown = () => ['--token-file', join(folder, 'token')]

  test('tells people', async () => {
    const { code, out, err } = await run('r/1', 'letmein', ...shown())
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(explanation(REFUSED))
  })

  test('tells machines', async () => {
    const { code, out } = await run('r/1', 'letmein', ...shown(), '--json')
    expect([code, JSON.parse(out)]).toEqual([0, { exchanges: [REFUSED] }])
  })

  test.each<[string, string | undefined, boolean, RegExp]>([
    ['an unknown id', 'letmein', true, /knows no exchange "r-2"/],
    ['no token', 'letmein', false, /wants its token/],
    ['a server without token', undefined, false, /admin\.token_file is not set there/],
  ])('with %s ends with 1', async (_name, token, shows, message) => {
    const { code, out, err } = await run('r-2', token, ...(shows ? shown() : []))
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(message)
  })

  test('where nobody is ends with 1, and with wrong use with 2', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    expect(await runCli(['explain', 'r', '--admin', '127.0.0.1:1'])).toBe(1)
    expect(await runCli(['explain', 'r', '--config', '/nowhere.yaml'])).toBe(2)
  })
})
