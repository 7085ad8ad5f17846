import type { Direction } from '../core/exchange.ts'
import type { Chain, Mode } from '../core/plugin.ts'
import { check } from './check.ts'
import { unknownName } from './nearest.ts'
import type { ChainFacts, PluginType, Services } from './plugin-type.ts'
import type { Issue, Path } from './problem.ts'
import { requirementIssues } from './requirements.ts'
import { entrySchema } from './schema.ts'
import { Substituted } from './substituted.ts'

/** A plugin as the configuration wants it: checked, not made yet. */
export interface Planned {
  readonly type: PluginType
  readonly id: string
  readonly mode: Mode
  readonly config: unknown
  readonly at: Path
}

export interface ChainPlan {
  readonly direction: Direction
  /** In the order of the configuration, those that are off included. */
  readonly plugins: readonly Planned[]
}

/** What an entry says of itself, as far as it can be read. */
export interface Named {
  readonly name: string
  readonly id: string
  readonly mode: Mode
  readonly at: Path
  readonly type: PluginType | undefined
}

/** Plugins of the reference that this version does not have. Ignoring one would pass what it was written to stop. */
const NOT_BUILT: readonly string[] = ['jwt-validation', 'token-exchange']

interface ReadEntry {
  readonly named: Named | undefined
  readonly planned: Planned | undefined
  readonly issues: readonly Issue[]
}

/** Checks a chain's entries, each by itself and then together. The plan is complete only when there are no issues. */
export function planChain(
  direction: Direction,
  entries: readonly unknown[],
  types: readonly PluginType[],
): { readonly plan: ChainPlan; readonly issues: readonly Issue[] } {
  const read = entries.map((entry, index) =>
    readEntry(entry, ['pipeline', direction, 'plugins', index], direction, types),
  )
  const named = read.map((entry) => entry.named).filter((entry) => entry !== undefined)
  const plan: ChainPlan = {
    direction,
    plugins: read.map((entry) => entry.planned).filter((entry) => entry !== undefined),
  }
  return {
    plan,
    issues: [
      ...read.flatMap((entry) => entry.issues),
      ...duplicateIds(named),
      ...requirementIssues(named),
      ...plan.plugins.flatMap((planned) => ownIssues(planned, plan)),
    ],
  }
}

function readEntry(raw: unknown, at: Path, direction: Direction, types: readonly PluginType[]): ReadEntry {
  const bare = typeof raw === 'string' || raw instanceof Substituted
  const written = bare ? { name: raw } : raw
  const entry = check(entrySchema, written, at)
  const issues: Issue[] = entry.ok ? [] : [...entry.issues]
  const name = textIn(written, 'name')
  if (name === undefined || name === '') return { named: undefined, planned: undefined, issues }

  const type = types.find((each) => each.name === name)
  const wrong = wrongName(name, type, direction, types, memberOf(written, 'name'))
  if (wrong !== undefined) issues.push({ path: bare ? at : [...at, 'name'], message: wrong })
  const id = textIn(written, 'id') ?? name
  const mode = entry.ok ? entry.value.on_error : 'enforce'
  const named: Named = { name, id, mode, at, type: wrong === undefined ? type : undefined }
  if (named.type === undefined) return { named, planned: undefined, issues }

  const config = check(named.type.schema, memberOf(written, 'config') ?? {}, [...at, 'config'])
  if (!config.ok) return { named, planned: undefined, issues: [...issues, ...config.issues] }
  return { named, planned: { type: named.type, id, mode, config: config.value, at }, issues }
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined

function textIn(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key)
  if (member instanceof Substituted) return member.text
  return typeof member === 'string' ? member : undefined
}

/** Why no plugin of that name can stand in this chain. */
function wrongName(
  name: string,
  type: PluginType | undefined,
  direction: Direction,
  types: readonly PluginType[],
  written: unknown,
): string | undefined {
  if (type === undefined) {
    if (NOT_BUILT.includes(name)) return `the plugin ${name} is not built yet; remove it from the chain`
    const here = types.filter((each) => each.directions.includes(direction)).map((each) => each.name)
    return unknownName('plugin', written instanceof Substituted ? written.source : name, here)
  }
  if (type.directions.includes(direction)) return undefined
  return `${name} does not stand in the ${direction} chain; move it to pipeline.${type.directions.join(' or ')}.plugins`
}

const TAKEN = 'its id (by default its name) is taken in this chain; give it its own "id"'

function duplicateIds(named: readonly Named[]): Issue[] {
  return named
    .filter((entry, index) => named.findIndex((other) => other.id === entry.id) < index)
    .map(({ at }) => ({ path: at, message: TAKEN }))
}

function ownIssues(planned: Planned, plan: ChainPlan): Issue[] {
  const issues = planned.type.check?.(planned.config, factsFor(planned, plan)) ?? []
  return issues.map(({ path, message }) => ({ path: [...planned.at, 'config', ...path], message }))
}

export const live = (plan: ChainPlan): readonly Planned[] => plan.plugins.filter((planned) => planned.mode !== 'off')

/** What stands around a plugin in its chain. */
export function factsFor(planned: Planned, plan: ChainPlan): ChainFacts {
  return {
    direction: plan.direction,
    lentHosts: live(plan).flatMap(({ type, config }) => type.lendsHosts?.(config)[planned.type.name] ?? []),
    siblings: live(plan).map(({ type, mode, config }) => ({ name: type.name, mode, config })),
  }
}

/** Makes the plugins of a plan that has no issues. */
export function buildChain(plan: ChainPlan, servicesFor: (id: string) => Services): Chain {
  return {
    plugins: plan.plugins.map((planned) => ({
      id: planned.id,
      name: planned.type.name,
      mode: planned.mode,
      plugin: planned.type.create(planned.config, servicesFor(planned.id), factsFor(planned, plan)),
    })),
  }
}
