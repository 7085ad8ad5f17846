import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { renderManifests } from './manifests.ts'

// `node scripts/attachments.mjs` runs this.
const manifests = await renderManifests()
for (const { file, text } of manifests) writeFileSync(`envoy/${file}`, text)
execFileSync('node_modules/.bin/prettier', [
  '--write',
  '--log-level',
  'warn',
  ...manifests.map(({ file }) => `envoy/${file}`),
])
