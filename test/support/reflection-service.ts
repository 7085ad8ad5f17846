import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Closable } from './closing.ts'
import { startProgram } from './process.ts'

const SCRIPT = resolve(import.meta.dirname, '../../scripts/sparc-service.mjs')

export interface ReflectionService extends Closable {
  /** For `reflector_endpoint`. */
  readonly url: string
  /** All that it logged. */
  readonly log: () => string
}

/** The real reflection service. Its packages are fetched if they are not there yet, which takes its time. */
export async function startReflectionService(env: Readonly<Record<string, string>>): Promise<ReflectionService> {
  const program = startProgram(process.execPath, [SCRIPT], { ...process.env, PORT: '0', ...env })
  const log = () => program.stderr.join('\n')
  for (;;) {
    const port = program.stderr.map(portIn).find((each) => each !== undefined)
    if (port !== undefined) return { url: `http://127.0.0.1:${port}`, log, close: () => program.close() }
    if (program.hasEnded()) throw new Error(`The reflection service ended:\n${log()}`)
    await sleep(50)
  }
}

function portIn(line: string): number | undefined {
  return /"message": "listening".*"port": (\d+)/.exec(line)?.slice(1).map(Number)[0]
}
