import type { Problem } from '../config/problem.ts'
import { sparsely } from '../extproc/log.ts'
import { createObserver, type Observer } from '../observe/log.ts'
import { openTracing } from '../observe/tracing.ts'
import { watchFiles } from '../reload/watch-files.ts'
import { announceFindings } from './announce.ts'
import { PLUGIN_TYPES } from './plugins.ts'
import { printProblems } from './problems.ts'
import { configFile } from './settings.ts'
import { hearStopSignals, type StopSignals } from './stop-signals.ts'
import { type Running, startPlumbline } from './start.ts'
import { version } from './version.ts'

const FAILED = 1
const WRONG_CONFIG = 2

/** Runs the server until it is told to stop. Gives the exit code. */
export async function serve(file: string): Promise<number> {
  const signals = hearStopSignals()
  try {
    // Until it is ready nothing is in flight, so there is nothing to wait for.
    return await Promise.race([run(file, signals), signals.early])
  } finally {
    signals.close()
  }
}

async function run(file: string, signals: StopSignals): Promise<number> {
  // The variables of the start hold for all that is read later: one file means the same each time.
  const source = configFile(file, { environment: { ...process.env }, types: PLUGIN_TYPES })
  const loaded = await source.load()
  if (!loaded.ok) return refuse(file, loaded.problems)
  const { settings } = loaded

  const observer = createObserver(settings.config.log.level)
  endOnLostErrors(observer)
  const warn = sparsely((facts, message) => observer.log.warn(facts, message))
  const tracing = await openTracing({ environment: process.env, version: version(), warn })
  if ('wrong' in tracing) {
    console.error(tracing.wrong)
    return WRONG_CONFIG
  }
  let running: Running | undefined
  // From here on a hangup asks for a reload and ends nothing. What changes during the start is seen in any case.
  process.on('SIGHUP', () => void running?.reload())
  try {
    running = await startPlumbline(settings, {
      observer,
      load: () => source.load(),
      traces: tracing.telemetry,
    })
  } catch (err) {
    observer.log.error({ err }, 'cannot start')
    observer.flush()
    return FAILED
  }
  const server = running
  announce(observer, server)
  const stopWatching = watchFiles({ differs: () => source.differs(), onChange: () => server.reload() })
  const code = await untilStopped(observer, server, signals)
  if (code === 0) await tracing.stop()
  stopWatching()
  observer.flush()
  return code
}

function refuse(file: string, problems: readonly Problem[]): number {
  printProblems(file, problems)
  return WRONG_CONFIG
}

function announce({ log }: Observer, { findings, addresses, adminAddress }: Running): void {
  announceFindings(log, findings())
  log.info({ version: version(), addresses, adminAddress }, 'ready')
}

/** The first signal drains; the second does not wait. */
async function untilStopped({ log }: Observer, running: Running, signals: StopSignals): Promise<number> {
  return new Promise((resolve) => {
    let asked = false
    signals.handOver((signal) => {
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
    })
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
