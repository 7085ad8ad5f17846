import { loadConfig } from '../config/load.ts'
import type { Path, Problem } from '../config/problem.ts'
import { readToken } from '../config/token.ts'
import { createObserver, type Observer } from '../observe/log.ts'
import { PLUGIN_TYPES } from './plugins.ts'
import { printProblems } from './problems.ts'
import { type Running, startPlumbline } from './start.ts'
import { version } from './version.ts'

const FAILED = 1
const WRONG_CONFIG = 2

/** Runs the server until it is told to stop. Gives the exit code. */
export async function serve(file: string): Promise<number> {
  const loaded = await loadConfig(file, { environment: process.env, types: PLUGIN_TYPES })
  if (!loaded.ok) return refuse(file, loaded.problems)
  const { config, positionOf } = loaded
  const token = await tokenOf(config.listener.token_file)
  if ('wrong' in token) {
    const path: Path = ['listener', 'token_file']
    return refuse(file, [{ file, path, position: positionOf(path), message: token.wrong }])
  }

  const observer = createObserver(config.log.level)
  endOnLostErrors(observer)
  let running: Running
  try {
    running = await startPlumbline(config, { observer, ...token })
  } catch (err) {
    observer.log.error({ err }, 'cannot start')
    observer.flush()
    return FAILED
  }
  announce(observer, running)
  const code = await untilStopped(observer, running)
  observer.flush()
  return code
}

function refuse(file: string, problems: readonly Problem[]): number {
  printProblems(file, problems)
  return WRONG_CONFIG
}

async function tokenOf(file: string | undefined): Promise<{ token?: string } | { wrong: string }> {
  return file === undefined ? {} : readToken(file)
}

function announce({ log }: Observer, { findings, addresses, adminAddress }: Running): void {
  for (const setting of findings.failsOpen) log.warn({ setting }, 'a setting in force lets something pass unchecked')
  for (const warning of findings.warnings) log.warn({ warning }, 'configuration warning')
  log.info({ version: version(), addresses, adminAddress }, 'ready')
}

/** The first signal drains; the second does not wait. */
async function untilStopped({ log }: Observer, running: Running): Promise<number> {
  return new Promise((resolve) => {
    let asked = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) {
        log.warn({ signal }, 'stopping at once; what is in flight fails closed')
        resolve(FAILED)
        return
      }
      asked = true
      log.info({ signal }, 'draining')
      running.stop().then(
        () => {
          log.info({}, 'stopped')
          resolve(0)
        },
        (err: unknown) => {
          log.error({ err }, 'draining failed')
          resolve(FAILED)
        },
      )
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}

/**
 * An error that nobody waited for may be a check that nobody waits for any more, and the process no longer knows its
 * state. It ends at once, without draining: a connection that breaks is a refusal to Envoy, while a drain would still
 * give answers. The exchanges in flight are refused, and whoever supervises the process starts it anew.
 */
function endOnLostErrors(observer: Observer): void {
  const end = (err: unknown, event: string) => {
    observer.log.error({ err, event }, 'an error was lost; ending, so that nothing passes')
    observer.flush()
    process.exit(FAILED)
  }
  process.on('uncaughtException', (err, event) => end(err, event))
}
