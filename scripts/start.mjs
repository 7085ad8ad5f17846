import { envoyBinary } from './envoy.mjs'
import { run } from './run.mjs'
import { setup } from './setup.mjs'

/** Sets the project up and runs one of its TypeScript programs against a real Envoy, with the arguments of this one. */
export async function start(program) {
  await setup()
  const env = { ...process.env, ENVOY_BIN: await envoyBinary() }
  process.exitCode = await run(process.execPath, ['--import', 'tsx', program, ...process.argv.slice(2)], { env })
}
