import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginType } from '../../../src/config/plugin-type.ts'

/** What the contract looks at in a plugin's README. */
export interface Readme {
  readonly text: string
  /** Its blocks of YAML. */
  readonly examples: readonly string[]
  /** Rows of the table of options: field, and default as it is written. */
  readonly options: readonly (readonly [field: string, written: string])[]
}

/** It lies in the plugin's own folder. */
export function readmeOf({ kind, name }: PluginType): Readme {
  const text = readFileSync(join(import.meta.dirname, '../../../src', `${kind}s`, name, 'README.md'), 'utf8')
  const [, table = ''] = /^\| field \| default \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(text) ?? []
  return {
    text,
    examples: [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml),
    options: [...table.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, field = '', written = '']) => [field, written]),
  }
}

/** The ways in which a table may write a default: the value, its items one by one, or that it has to be set. */
export function spellings(value: unknown, required: boolean): readonly string[] {
  if (required) return ['required', 'required for `llm`', 'required for `http`']
  if (value === '') return ['`""`', 'built-in']
  if (typeof value === 'string') return [`\`${value}\``]
  const items = Array.isArray(value) ? [value.map((item) => `\`${String(item)}\``).join(', ')] : []
  return [`\`${JSON.stringify(value)}\``, ...items]
}
