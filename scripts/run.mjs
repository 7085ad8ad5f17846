import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the project lies, whatever the current folder is. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Runs a program in the project's folder with its output passed on, and gives its exit code.
 * A program that cannot be started, or that a signal ended, counts as failed. Ctrl-C reaches the program by itself;
 * this process waits for it to clean up.
 */
export function run(program, args, options = {}) {
  return new Promise((done) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', ...options })
    const end = (code) => {
      process.off('SIGINT', wait)
      done(code)
    }
    process.on('SIGINT', wait)
    child.once('error', () => end(127))
    child.once('exit', (code) => end(code ?? 1))
  })
}

function wait() {}

/** Ends this process with one line that says what is wrong, and no stack. */
export function giveUp(message) {
  console.error(message)
  process.exit(1)
}
