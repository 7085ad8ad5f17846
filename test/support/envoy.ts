import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Closable } from './closing.ts'
import { freePorts } from './ports.ts'
import { startProgram } from './process.ts'
import type { Program } from './process.ts'
import { renderSidecar } from './sidecar.ts'
import type { SidecarValues } from './sidecar.ts'
import { until } from './until.ts'

/** A line of the access log of the shipped configuration. */
export interface AccessLine {
  readonly direction: string
  readonly requestId: string
  readonly status: number
  readonly details: string
  readonly flags: string
  readonly upstream: string | null
  readonly [key: string]: unknown
}

export interface Envoy extends Closable {
  readonly inboundPort: number
  readonly outboundPort: number
  readonly version: string
  /** Its configuration. */
  readonly file: string
  /** `unix:` and the socket of its admin. */
  readonly admin: string
  /** Counters and gauges whose name contains `part`. */
  stats(part: string): Promise<Readonly<Record<string, number>>>
  /** The access-log line of a request; waits until it is written. */
  accessLine(requestId: string): Promise<AccessLine>
  /** All lines so far. */
  readonly accessLines: () => readonly AccessLine[]
  /** What it said, for a failed test. */
  log(): string
}

export type EnvoyValues = Omit<SidecarValues, 'inboundPort' | 'outboundPort' | 'envoyAdminSocket'>

export interface EnvoyOptions {
  readonly folder: string
  readonly values: EnvoyValues
  readonly token?: string
  /** In place of the shipped `envoy/sidecar.yaml`. */
  readonly sidecar?: string
  /** A last change to the rendered configuration. */
  readonly change?: (rendered: string) => string
}

export async function startEnvoy(options: EnvoyOptions): Promise<Envoy> {
  // A port that was free may be taken by the time Envoy listens: then once more with others.
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryEnvoy(options)
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

async function tryEnvoy({ folder, values, token, sidecar, change }: EnvoyOptions): Promise<Envoy> {
  const [inboundPort = 0, outboundPort = 0] = await freePorts(2)
  const admin = join(folder, 'envoy-admin.sock')
  const rendered = renderSidecar({ ...values, inboundPort, outboundPort, envoyAdminSocket: admin }, sidecar)
  const file = join(folder, 'envoy.json')
  await writeFile(file, change ? change(rendered) : rendered)
  const args = ['-c', file, '--concurrency', '2', '--disable-hot-restart', '--log-level', 'warn', ...FLUSH]
  // Without a token the formatter has nothing to read.
  const env = { ...process.env, ...(token === undefined ? {} : { PLUMBLINE_TOKEN: token }) }
  const program = startProgram(envoyBinary(), args, env)
  const log = () => program.stderr.join('\n')
  try {
    const version = await until('Envoy to be ready', () => readyVersion(program, admin))
    return {
      inboundPort,
      outboundPort,
      version,
      file,
      admin: `unix:${admin}`,
      stats: (part) => readStats(admin, part),
      accessLine: (id) => until(`the access log of ${id}`, () => findLine(program, id)),
      accessLines: () => program.stdout.map((line) => JSON.parse(line) as AccessLine),
      log,
      close: () => program.close(),
    }
  } catch (error) {
    await program.close()
    throw new Error(`Envoy did not start:\n${log()}`, { cause: error })
  }
}

/** The access log is written at once, not every ten seconds. */
const FLUSH = ['--file-flush-interval-msec', '50']

let known: string | undefined
/** `npm test` sets ENVOY_BIN; a test that is started by itself finds it by the same script. */
export function envoyBinary(): string {
  known ??= process.env['ENVOY_BIN'] ?? askScript()
  return known
}

function askScript(): string {
  const script = fileURLToPath(new URL('../../scripts/envoy.mjs', import.meta.url))
  return execFileSync(process.execPath, [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

async function readyVersion(program: Program, admin: string): Promise<string | undefined> {
  if (program.hasEnded()) throw new Error('Envoy ended.')
  try {
    const info = JSON.parse(await ask(admin, '/server_info')) as { state: string; version: string }
    return info.state === 'LIVE' ? info.version.split('/')[1] : undefined
  } catch {
    return undefined
  }
}

async function readStats(admin: string, part: string): Promise<Readonly<Record<string, number>>> {
  const text = await ask(admin, `/stats?filter=${encodeURIComponent(part)}`)
  const pairs = text.split('\n').map((line) => line.split(': ') as [string, string | undefined])
  return Object.fromEntries(pairs.filter(([, value]) => /^\d+$/.test(value ?? '')).map(([k, v]) => [k, Number(v)]))
}

/** What an Envoy's admin answers, by `unix:` and its socket. */
export const askAdmin = (admin: string, path: string): Promise<string> => ask(admin.slice('unix:'.length), path)

function ask(socketPath: string, path: string): Promise<string> {
  return new Promise((done, fail) => {
    const asked = request({ socketPath, path, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => (text += piece))
      answer.on('end', () => done(text))
      answer.on('error', fail)
    })
    asked.on('error', fail)
    asked.end()
  })
}

function findLine(program: Program, requestId: string): AccessLine | undefined {
  const line = program.stdout.find((text) => text.includes(requestId))
  return line === undefined ? undefined : (JSON.parse(line) as AccessLine)
}
