// `npm run sparc-service`: fetches what the reflection service needs (once), and starts it. Its README says what the environment may hold.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pythonVersion } from './python.mjs'
import { giveUp, ROOT } from './run.mjs'
import { fetchWheels } from './wheels.mjs'

const SERVICE = join(ROOT, 'sparc-service')
/** Providers that are reached by LiteLLM, which is larger than all the rest. */
const BY_LITELLM = ['watsonx', 'litellm']

/** The environment in which `python3 -m sparc_service` runs. */
export async function serviceEnvironment(withLiteLlm) {
  const python = pythonVersion()
  const lists = ['requirements.txt', ...(withLiteLlm ? ['requirements-litellm.txt'] : [])]
  const folders = []
  for (const list of lists) folders.push(await packagesOf(list, python))
  return { ...process.env, PYTHONPATH: [SERVICE, ...folders].join(delimiter) }
}

/** The folder with a list's packages. Another list, or another Python, is another folder: wheels are built for one version. */
async function packagesOf(list, python) {
  const file = join(SERVICE, list)
  const text = readFileSync(file, 'utf8')
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  const home = join(ROOT, '.cache', 'sparc-service', `python-${python}-${digest}`)
  const there = await fetchWheels(`what sparc-service/${list} names`, home, ['--requirement', file], (folder) =>
    marksOf(text).every((mark) => existsSync(join(folder, mark))),
  )
  return there
    ? home
    : giveUp(
        `The packages of sparc-service/${list} cannot be fetched. python3 with pip (or with venv) does that, from PyPI.`,
      )
}

/** What pip leaves for each package that it installed. */
function marksOf(list) {
  const named = list.split('\n').filter((line) => line.includes('=='))
  return named.map((line) => `${line.trim().replaceAll('-', '_').replace('==', '-')}.dist-info`)
}

async function serve() {
  const env = await serviceEnvironment(BY_LITELLM.includes((process.env.PROVIDER || 'watsonx').toLowerCase()))
  const service = spawn('python3', ['-m', 'sparc_service'], { env, stdio: 'inherit' })
  // Ctrl-C reaches the service by itself, a signal to this process alone does not.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => service.kill('SIGTERM'))
  service.once('exit', (code) => process.exit(code ?? 1))
}

if (process.argv[1] === import.meta.filename) await serve()
