import { start } from './start.mjs'

await start('bench/run.ts')
