import { isDeepStrictEqual } from 'node:util'
import type { ChainPlan } from './chains.ts'
import type { Config } from './load.ts'
import { factsOf } from './meaning.ts'
import type { Issue, Path } from './problem.ts'
import { SECTIONS } from './schema.ts'

type Section = keyof typeof SECTIONS

/** What a socket or the store was made with: it holds until the process ends. Of a section without keys, all of it. */
export const NEEDS_RESTART: Readonly<Partial<Record<Section, readonly string[]>>> = {
  listener: [
    'ext_proc_addr',
    'inbound_addr',
    'outbound_addr',
    'tls',
    'health_addr',
    'max_streams',
    'max_receive_bytes',
    'body_deadline_ms',
    'max_bodies_bytes',
    'drain_deadline_ms',
  ],
  session: Object.keys(SECTIONS.session),
  admin: Object.keys(SECTIONS.admin),
}

/** Where two configurations differ, as deep as both have a value there. */
export function changedPaths(before: Config, after: Config): readonly Path[] {
  return differences(asWritten(before), asWritten(after), [])
}

/** The changes that this process cannot make. */
export function restartIssues(inForce: Config, changed: readonly Path[]): readonly Issue[] {
  const fixed = changed.map(([section, key]) => [section, key]).filter(([section, key]) => isFixed(section, key))
  const each = new Map(fixed.map((path) => [path.join('.'), path as [Section, string]]))
  return [...each.values()].map(([section, key]) => ({
    path: [section, key],
    message: `needs a restart; in force is ${spelled(inForce, section, key)}`,
  }))
}

function isFixed(section: Path[number] | undefined, key: Path[number] | undefined): boolean {
  const keys: readonly string[] | undefined = NEEDS_RESTART[section as Section]
  return keys?.includes(String(key)) === true
}

/** As a file would have it. None of these is a secret. */
function spelled(config: Config, section: Section, key: string): string {
  const value = (config[section] as Readonly<Record<string, unknown>>)[key]
  if (value === undefined) return 'none'
  const field = (SECTIONS[section] as Readonly<Record<string, Parameters<typeof factsOf>[0]>>)[key]
  const spell = field === undefined ? undefined : factsOf(field).spell
  const written = spell === undefined ? value : spell(value)
  return typeof written === 'string' ? written : JSON.stringify(written)
}

function asWritten({ chains, ...sections }: Config): unknown {
  return { pipeline: { inbound: entries(chains.inbound), outbound: entries(chains.outbound) }, ...sections }
}

function entries({ plugins }: ChainPlan): unknown {
  return { plugins: plugins.map(({ type, id, mode, config }) => ({ name: type.name, id, on_error: mode, config })) }
}

function differences(before: unknown, after: unknown, at: Path): readonly Path[] {
  if (isMapping(before) && isMapping(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => differences(before[key], after[key], [...at, key]))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => differences(item, after[index], [...at, index]))
  }
  return isDeepStrictEqual(before, after) ? [] : [at]
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
