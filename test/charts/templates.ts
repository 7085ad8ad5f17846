import { readdirSync } from 'node:fs'

const FOLDER = new URL('../../charts/plumbline/templates/', import.meta.url)

/** The templates that make objects, as Helm calls them. */
export function templates(): readonly string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => `plumbline/templates/${file}`)
}
