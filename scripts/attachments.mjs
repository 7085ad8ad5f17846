// Writes the manifests in `envoy/` that are rendered from the chart. A test says when they are stale.
import { run } from './run.mjs'

process.exitCode = await run(process.execPath, ['--import', 'tsx', 'test/support/attach/write.ts'])
