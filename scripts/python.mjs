import { execFileSync } from 'node:child_process'
import { giveUp } from './run.mjs'

/** The version of python3, as `3.12`. Ends this process where there is none that will do. */
export function pythonVersion() {
  try {
    const ask = 'import sys; print("%d.%d" % sys.version_info[:2]); sys.exit(sys.version_info < (3, 10))'
    return execFileSync('python3', ['-c', ask], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return giveUp('This needs python3, 3.10 or later.')
  }
}
