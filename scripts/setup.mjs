// Makes a fresh clone ready: the packages of the lock file, and a build. What is there already takes some seconds to see.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { giveUp, ROOT, run } from './run.mjs'

export async function setup() {
  if (!installed() && (await run('npm', ['ci', '--no-audit', '--no-fund'])) !== 0) giveUp('npm ci failed.')
  if ((await run('npm', ['run', '--silent', 'build'])) !== 0) giveUp('The build failed.')
}

/** Whether what npm noted in node_modules is what the lock file asks for. */
function installed() {
  const wanted = packagesOf('package-lock.json')
  const present = packagesOf(join('node_modules', '.package-lock.json'))
  if (wanted === undefined || present === undefined) return false
  return Object.entries(wanted).every(([path, entry]) => {
    // Packages for other machines are rightly absent; the empty path is the project itself.
    if (path === '' || entry.optional || entry.devOptional || entry.peer) return true
    return present[path]?.version === entry.version && present[path]?.integrity === entry.integrity
  })
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages
  } catch {
    return undefined
  }
}

if (process.argv[1] === import.meta.filename) await setup()
