import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('the chart renders from the very file that the end-to-end tests run', () => {
  const [shipped, inChart] = ['envoy/sidecar.yaml', 'charts/plumbline/files/envoy/sidecar.yaml'].map((file) =>
    readFileSync(file, 'utf8'),
  )
  // `node scripts/chart-files.mjs` copies it.
  expect(inChart).toBe(shipped)
})
