import { spawn } from 'node:child_process'
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import type { Closable } from './closing.ts'

/** A program that a test started, with all that it printed. */
export interface Program extends Closable {
  readonly pid: number
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
  /** Exit code, or the signal's name; settles when it ended. */
  readonly ended: Promise<number | string>
  readonly hasEnded: () => boolean
  /** Each line of stdout, from now on. */
  onLine(listener: (line: string) => void): void
  kill(signal: NodeJS.Signals): void
}

const running = new Set<ChildProcess>()
// A run that breaks off leaves nothing behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function startProgram(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Program {
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const listeners: ((line: string) => void)[] = []
  const stdout: string[] = []
  const stderr: string[] = []
  let over = false
  createInterface(child.stdout).on('line', (line) => {
    stdout.push(line)
    for (const listener of listeners) listener(line)
  })
  createInterface(child.stderr).on('line', (line) => stderr.push(line))
  const ended = waitForEnd(child).finally(() => {
    over = true
    running.delete(child)
  })
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr,
    ended,
    hasEnded: () => over,
    onLine: (listener) => listeners.push(listener),
    kill: (signal) => child.kill(signal),
    close: () => stop(child, ended),
  }
}

function waitForEnd(child: ChildProcessByStdio<null, Readable, Readable>): Promise<number | string> {
  return new Promise((done) => {
    child.once('error', (error) => done(error.message))
    child.once('close', (code, signal) => done(code ?? signal ?? 'unknown'))
  })
}

/** Politely first; a program that does not listen is killed. */
async function stop(child: ChildProcessByStdio<null, Readable, Readable>, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await ended
  clearTimeout(patience)
}
