import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExchangeRecord } from '../src/core/record.ts'
import type { Closable } from '../test/support/closing.ts'
import { isListening } from '../test/support/listening.ts'
import type { PlumblineConfig } from '../test/support/plumbline.ts'
import { until } from '../test/support/until.ts'

/** A running ext_proc server. */
export interface RunningProcessor extends Closable {
  /** Processor time that it took since its start, milliseconds. */
  cpuMs(): number
  /** What it wrote since this was last called; its newest record. */
  takeRecord(): ExchangeRecord | undefined
  /** Begins a profile; then ends it and writes it down. */
  toggleProfile(): void
}

export interface Place {
  readonly folder: string
  readonly socket: string
  readonly adminPort: number
  /** Where `toggleProfile` writes; undefined: the profiler is not loaded. */
  readonly profile: string | undefined
}

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const PROFILER = new URL('profiler.mjs', import.meta.url).href
const FLOOR = fileURLToPath(new URL('../test/support/extproc/floor.ts', import.meta.url))

export function startFloorProcess(place: Place): Promise<RunningProcessor> {
  return start(place, ['--import', 'tsx', FLOOR, `unix:${place.socket}`])
}

/** `plumbline serve`, as users run it. */
export async function startPlumblineProcess(place: Place, config: PlumblineConfig): Promise<RunningProcessor> {
  const file = join(place.folder, 'plumbline.yaml')
  const whole = {
    ...config,
    listener: { ext_proc_addr: `unix:${place.socket}` },
    admin: { address: `127.0.0.1:${place.adminPort}` },
  }
  // JSON is YAML.
  await writeFile(file, JSON.stringify(whole))
  return start(place, [MAIN, 'serve', '--config', file])
}

async function start(place: Place, args: readonly string[]): Promise<RunningProcessor> {
  // A file, as a log collector would have it: read by nobody while the clock runs.
  const log = join(place.folder, 'processor.log')
  const output = openSync(log, 'a')
  const { profile } = place
  const child = spawn(process.execPath, [...(profile === undefined ? [] : ['--import', PROFILER]), ...args], {
    stdio: ['ignore', output, output],
    env: profile === undefined ? process.env : { ...process.env, BENCH_PROFILE: profile },
  })
  closeSync(output)
  const ended = new Promise((done) => child.once('exit', done))
  await until('the processor to listen', async () => {
    if (child.exitCode !== null) throw new Error(`The processor did not start:\n${readFileSync(log, 'utf8')}`)
    return isListening(place.socket)
  })
  const pid = child.pid ?? 0
  return {
    cpuMs: () => cpuMs(pid),
    takeRecord: () => {
      const text = readFileSync(log, 'utf8')
      truncateSync(log)
      const line = text.split('\n').findLast((one) => one.includes('"invocations"'))
      return line === undefined ? undefined : (JSON.parse(line) as ExchangeRecord)
    },
    toggleProfile: () => void child.kill('SIGUSR2'),
    close: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Linux counts in hundredths of a second. */
const TICK_MS = 10
/** Fields of /proc/PID/stat behind the program's name, which may hold spaces. */
const UTIME = 11
const STIME = 12

function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[UTIME]) + Number(fields[STIME])) * TICK_MS
}
