// `node scripts/altk.mjs <program> …`: runs a Python program with ALTK on its path, which is fetched once.
import { run } from './run.mjs'
import { serviceEnvironment } from './sparc-service.mjs'

process.exitCode = await run('python3', process.argv.slice(2), { env: await serviceEnvironment(false) })
