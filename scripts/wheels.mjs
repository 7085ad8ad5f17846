// Fetches packages from PyPI into a folder of the cache, once. Python puts that folder on its path (PYTHONPATH).
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from './run.mjs'

/**
 * `home` gets what pip's arguments name, each package alone (`--no-deps`: what they need is listed with them).
 * `isThere(folder)` says whether a folder holds all of it; a home that does is left as it is. The answer is whether it does now.
 */
export async function fetchWheels(title, home, wanted, isThere) {
  if (isThere(home)) return true
  const cache = dirname(home)
  mkdirSync(cache, { recursive: true })
  // Into a folder beside its home first: two runs at once, or one that was cut, never leave half of it there.
  const draft = mkdtempSync(join(cache, 'draft-'))
  try {
    console.error(`Fetching ${title} (once) …`)
    const target = join(draft, 'packages')
    const venv = join(draft, 'venv')
    await install('python3', target, wanted)
    if (!isThere(target)) await installByVenv(venv, target, wanted)
    if (isThere(target)) move(target, home, isThere)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return isThere(home)
}

function install(python, target, wanted) {
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check', '--target', target]
  // What pip says is the only hint to a missing network or proxy; that it runs as root is no news in a container.
  const env = { ...process.env, PIP_ROOT_USER_ACTION: 'ignore' }
  return run(python, [...args, ...wanted], { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Where the system's Python has no pip of its own, a venv has one. */
async function installByVenv(venv, target, wanted) {
  // What the first try left would be in the second one's way.
  rmSync(target, { recursive: true, force: true })
  await run('python3', ['-m', 'venv', venv], { stdio: ['ignore', 'ignore', 'ignore'] })
  await install(join(venv, 'bin', 'python'), target, wanted)
}

function move(draft, home, isThere) {
  try {
    renameSync(draft, home)
  } catch (error) {
    // Somebody else was faster, with the same thing.
    if (!isThere(home)) throw error
  }
}
