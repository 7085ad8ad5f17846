import { start } from './start.mjs'

await start('demo/run.ts')
