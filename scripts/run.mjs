import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the project lies, whatever the current folder is. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Runs a program in the project's folder with its output passed on, and gives its exit code.
 * A program that cannot be started, or that a signal ended, counts as failed.
 */
export function run(program, args, options = {}) {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', ...options })
    child.once('error', () => done(127))
    child.once('exit', (code) => done(code ?? 1))
  })
}

/** Ends this process with one line that says what is wrong, and no stack. */
export function giveUp(message) {
  console.error(message)
  process.exit(1)
}
