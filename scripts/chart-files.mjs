// Puts into the chart what has its home elsewhere: Helm reads no file outside of a chart. A test compares the two.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './run.mjs'

export const COPIES = [['envoy/sidecar.yaml', 'charts/plumbline/files/envoy/sidecar.yaml']]

for (const [from, to] of COPIES) copyFileSync(join(ROOT, from), join(ROOT, to))
