import { nearest } from '../../../config/nearest.ts'
import { coerce, nearOption } from './coerce.ts'
import type { Violation } from './schema/validate.ts'
import { isObject } from '../../../json/rpc.ts'
import type { JsonObject } from './schema/values.ts'
import type { Tool } from './tool.ts'
import { isShort } from './words.ts'

/** The arguments with every fault cured that has one obvious cure; undefined when nothing was. */
export function repaired(
  values: JsonObject,
  tool: Tool,
  unknown: readonly string[],
  violations: readonly Violation[],
): JsonObject | undefined {
  const copy = structuredClone(values) as Record<string, unknown>
  let changed = unknown.length > 0
  for (const name of unknown) renameOrDrop(copy, name, tool)
  for (const violation of violations) changed = cure(copy, violation, tool) || changed
  return changed ? copy : undefined
}

/** What is not given has to be the name that was meant; else the argument was invented. */
function renameOrDrop(values: Record<string, unknown>, name: string, tool: Tool): void {
  const free = (tool.names ?? []).filter((each) => !Object.hasOwn(values, each))
  const meant = nearest(name, free.filter(isShort))
  if (meant !== undefined) values[meant] = values[name]
  delete values[name]
}

function cure(values: Record<string, unknown>, violation: Violation, tool: Tool): boolean {
  const [top = '', ...deeper] = violation.path
  if (violation.value === null && deeper.length === 0 && Object.hasOwn(values, top) && !tool.required.has(top)) {
    delete values[top]
    return true
  }
  const better = betterValue(violation)
  return better !== undefined && violation.path.length > 0 && replace(values, violation.path, better.value)
}

function betterValue({ kind, value, expected }: Violation): { readonly value: unknown } | undefined {
  if (kind === 'type') return coerce(value, expected)
  return kind === 'enum' ? nearOption(value, expected) : undefined
}

function replace(root: unknown, path: readonly string[], value: unknown): boolean {
  const last = path.at(-1) ?? ''
  const parent = path.slice(0, -1).reduce<unknown>(step, root)
  if (Array.isArray(parent)) (parent as unknown[])[Number(last)] = value
  else if (isObject(parent) && Object.hasOwn(parent, last)) (parent as Record<string, unknown>)[last] = value
  else return false
  return true
}

function step(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[])[Number(key)]
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
