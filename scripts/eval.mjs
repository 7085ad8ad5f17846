// `npm run eval -- judge`: sets the project up and measures with what was just built.
import { join } from 'node:path'
import { ROOT, run } from './run.mjs'
import { setup } from './setup.mjs'

await setup()
process.exitCode = await run(process.execPath, [join(ROOT, 'dist', 'main.js'), 'eval', ...process.argv.slice(2)])
