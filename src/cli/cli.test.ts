import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { runCli } from './cli.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-cli-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => void vi.restoreAllMocks())

async function run(...words: string[]): Promise<{ code: number; out: string[]; err: string[] }> {
  const out: string[] = []
  const err: string[] = []
  vi.spyOn(console, 'log').mockImplementation((text: string) => void out.push(...text.split('\n')))
  vi.spyOn(console, 'error').mockImplementation((text: string) => void err.push(...text.split('\n')))
  return { code: await runCli(words), out, err }
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

describe('plumbline', () => {
  test('explains its use, with exit code 2', async () => {
    const { code, err, out } = await run('serv')
    expect([code, out]).toEqual([2, []])
    expect(err[0]).toMatch(/^unknown command "serv"; did you mean "serve"\?/)
    expect(err).toContain('  plumbline serve --config FILE          run the ext_proc server')
  })

  test('prints help and version', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, err: [], out: expect.arrayContaining(['Usage:']) as string[] })
    expect(await run('version')).toMatchObject({ code: 0, out: [expect.stringMatching(/^\d+\.\d+\.\d+$/)] })
  })
})

describe('a configuration with problems ends with exit code 2', () => {
  const WRONG = 'pipeline: {}\nlog: {level: loud, colour: red}\n'
  const told = (path: string) => [
    `${path}:2:14: log.level: must be one of debug, info, warn, error; is the text "loud"`,
    `${path}:2:20: log.colour: unknown key "colour" (known: level)`,
    `${path}: 2 problems`,
  ]

  test('all told at once by serve, which does not start', async () => {
    const path = await file('wrong.yaml', WRONG)
    expect(await run('serve', '--config', path)).toEqual({ code: 2, out: [], err: told(path) })
  })

  test('and by validate', async () => {
    const path = await file('wrong.yaml', WRONG)
    expect(await run('validate', path)).toEqual({ code: 2, out: [], err: told(path) })
  })

  test('and by validate for machines', async () => {
    const path = await file('wrong.yaml', WRONG)
    const { code, out } = await run('validate', '--json', path)
    expect(code).toBe(2)
    expect(JSON.parse(out.join(''))).toEqual({
      ok: false,
      file: path,
      problems: [
        { line: 2, column: 14, path: 'log.level', message: expect.stringContaining('must be one of') as string },
        { line: 2, column: 20, path: 'log.colour', message: expect.stringContaining('unknown key') as string },
      ],
    })
  })

  test.each([
    ['missing', undefined, /:3:15: listener\.token_file: the token cannot be read: ENOENT/],
    ['empty', '\n', /:3:15: listener\.token_file: the token in .* must be one line of printable ASCII/],
    ['no token', 'two words', /:3:15: listener\.token_file: the token in .* must be one line of printable ASCII/],
  ])('as does a token file that is %s', async (name, content, expected) => {
    const token = join(folder, `token ${name}`)
    if (content !== undefined) await writeFile(token, content)
    const path = await file('token.yaml', `pipeline: {}\nlistener:\n  token_file: "${token}"\n`)
    const { code, err } = await run('serve', '--config', path)
    expect(code).toBe(2)
    expect(err[0]).toMatch(expected)
    expect(err.join('\n')).not.toContain('two words')
  })
})

/** For chains that never write an answer anew. */
const OVERRIDES = [
  ['NONE', 'BUFFERED'],
  ['BUFFERED', 'NONE'],
  ['BUFFERED', 'STREAMED'],
  ['NONE', 'NONE'],
  ['NONE', 'STREAMED'],
].map(
  ([request, response]) =>
    `    - { request_body_mode: ${request}, response_body_mode: ${response}, response_header_mode: SEND, ` +
    'request_trailer_mode: SEND, response_trailer_mode: SEND }',
)

describe('validate says what a configuration means', () => {
  test('to people', async () => {
    const path = await file('good.yaml', 'pipeline: {}\nlistener: {verdict_deadline_ms: 7000}\n')
    const { code, out } = await run('validate', path)
    expect(code).toBe(0)
    expect(out).toEqual([
      `${path}: OK`,
      '',
      'Chains',
      '  inbound: nothing',
      '  outbound: nothing',
      '',
      'Set in Envoy (time-outs may be longer)',
      '  inbound filter: message_timeout: 7.5s',
      '  inbound filter: allow_mode_override: true, with allowed_override_modes:',
      ...OVERRIDES,
      '  outbound filter: message_timeout: 7.5s',
      '  outbound filter: allow_mode_override: true, with allowed_override_modes:',
      ...OVERRIDES,
      '',
      'What passes unchecked under these settings',
      '  - outbound: no gate enforces, so nothing that the agent does is refused',
      '',
      'Warnings',
      expect.stringContaining('TCP without a token'),
      expect.stringContaining('one agent per process'),
      expect.stringContaining('listener.routing is not set'),
    ])
  })

  test('to machines', async () => {
    const { code, out } = await run('validate', await file('good.yaml', 'pipeline: {}\n'), '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out.join(''))).toMatchObject({
      ok: true,
      chains: { inbound: [], outbound: [] },
      message_timeout_ms: { inbound: 2500, outbound: 2500 },
      allowed_override_modes: {
        inbound: OVERRIDES.map((text) => parse(text) as unknown).flat(),
        outbound: OVERRIDES.map((text) => parse(text) as unknown).flat(),
      },
      fails_open: [expect.stringContaining('no gate enforces')],
    })
  })

  test.each([
    ['enforce', 7],
    ['observe', 5],
    ['off', 5],
  ])('answers are written anew where a gate may take calls out of them: %s', async (mode, count) => {
    const sparc = `{name: sparc, on_error: ${mode}, config: {reflector: embedded, enforcement: inference}}`
    const path = await file('calls.yaml', `pipeline: {outbound: {plugins: [inference-parser, ${sparc}]}}\n`)
    const { out } = await run('validate', path, '--json')
    const report = JSON.parse(out.join('')) as { allowed_override_modes: Record<string, object[]> }
    const { inbound, outbound } = report.allowed_override_modes
    expect([inbound?.length, outbound?.length]).toEqual([5, count])
    expect(JSON.stringify(outbound).includes('FULL_DUPLEX_STREAMED')).toBe(mode === 'enforce')
  })
})
