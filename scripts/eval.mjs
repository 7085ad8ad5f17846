// `npm run eval -- judge`: sets the project up and measures with what was just built.
import { join } from 'node:path'
import { ROOT, run } from './run.mjs'
import { setup } from './setup.mjs'

await setup()
// Files are named from where npm was called, which itself goes to the project's folder.
const cwd = process.env.INIT_CWD ?? process.cwd()
process.exitCode = await run(process.execPath, [join(ROOT, 'dist', 'main.js'), 'eval', ...process.argv.slice(2)], {
  cwd,
})
