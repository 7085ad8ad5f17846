// `npm run generate`: writes what is made from the source.
import { writeFileSync } from 'node:fs'
import { GENERATED, read } from './generated.ts'

for (const { file, text } of GENERATED) {
  const fresh = text()
  const stale = fresh !== read(file)
  if (stale) writeFileSync(new URL(`../${file}`, import.meta.url), fresh)
  console.log(`${file}: ${stale ? 'written' : 'as it was'}`)
}
