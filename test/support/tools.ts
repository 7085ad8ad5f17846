import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../../scripts/tools.mjs', import.meta.url))

/** Runs one of the programs that `scripts/tools.mjs` fetches, and gives what it printed; throws where it fails. */
export function runTool(name: 'hadolint' | 'docker-compose', ...args: readonly string[]): string {
  const find = execFileSync(process.execPath, [SCRIPT, name], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return execFileSync(find.trim(), args, { encoding: 'utf8' })
}
