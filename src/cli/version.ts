import { readFileSync } from 'node:fs'

/** Of `package.json`, which lies two folders up from the source as from the build. */
export function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}
