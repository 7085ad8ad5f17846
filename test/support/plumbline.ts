import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Closable } from './closing.ts'
import { isListening } from './listening.ts'
import { startProgram } from './process.ts'
import type { Program } from './process.ts'
import { until } from './until.ts'

/** The configuration file as an object; listener and admin are put in. */
export interface PlumblineConfig {
  readonly pipeline: { readonly inbound?: PluginList; readonly outbound?: PluginList }
  readonly listener?: Readonly<Record<string, unknown>>
  readonly session?: Readonly<Record<string, unknown>>
  readonly admin?: Readonly<Record<string, unknown>>
}

export interface PluginList {
  readonly plugins: readonly (string | Readonly<Record<string, unknown>>)[]
}

export interface Plumbline extends Closable {
  /** Its configuration. */
  readonly file: string
  readonly program: Program
  /** The record of an exchange; waits until it is written. */
  record(requestId: string): Promise<ExchangeRecord>
  readonly records: () => readonly ExchangeRecord[]
}

export interface PlumblineOptions {
  readonly folder: string
  readonly socket: string
  /** In place of the socket: `config.listener` says where it listens, and this port is one of those. */
  readonly port?: number
  readonly adminPort: number
  readonly token: string
  readonly config: PlumblineConfig
  readonly env?: NodeJS.ProcessEnv
}

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** `plumbline serve`, as a user starts it: the build, in a process of its own. */
export async function startPlumbline(options: PlumblineOptions): Promise<Plumbline> {
  const file = await writeConfig(options)
  const program = startProgram(process.execPath, [MAIN, 'serve', '--config', file], { ...process.env, ...options.env })
  try {
    await until('Plumbline to listen', () => listens(program, options.port ?? options.socket))
  } catch (error) {
    await program.close()
    throw new Error(`Plumbline did not start:\n${said(program)}`, { cause: error })
  }
  const records = () => program.stdout.flatMap(recordOf)
  return {
    file,
    program,
    records,
    record: (id) => until(`the record of ${id}`, () => records().find((record) => record.requestId === id)),
    close: () => {
      // The second signal says not to wait for what is still open: nobody does.
      program.kill('SIGINT')
      return program.close()
    },
  }
}

/** Everything that it printed, for a failed test. */
export function said(program: Program): string {
  return [...program.stdout, ...program.stderr].join('\n')
}

async function writeConfig({ folder, socket, adminPort, token, config }: PlumblineOptions): Promise<string> {
  const tokenFile = join(folder, 'token')
  const file = join(folder, 'plumbline.yaml')
  await writeFile(tokenFile, token, { mode: 0o600 })
  const whole = {
    ...config,
    // What is undefined there is left out.
    listener: { ext_proc_addr: `unix:${socket}`, token_file: tokenFile, ...config.listener },
    admin: { address: `127.0.0.1:${adminPort}`, ...config.admin },
  }
  // JSON is YAML.
  await writeFile(file, JSON.stringify(whole, undefined, 2))
  return file
}

async function listens(program: Program, where: string | number): Promise<true | undefined> {
  if (program.hasEnded()) throw new Error('It ended.')
  return isListening(where)
}

function recordOf(line: string): readonly ExchangeRecord[] {
  if (!line.includes('"invocations"')) return []
  return [JSON.parse(line) as ExchangeRecord]
}
