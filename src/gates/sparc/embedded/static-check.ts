import { readArguments } from './read-arguments.ts'
import { repaired } from './repair.ts'
import { violationsOf, type Violation } from './schema/validate.ts'
import type { JsonObject } from './schema/values.ts'
import { findTool, toolNames, type Tool } from './tool.ts'
import { invalidJson, noTools, unknownArguments, unknownTool, violationIssues, type Fault } from './static-words.ts'
import type { Question } from '../reflector.ts'
import { TooLarge } from './too-large.ts'

/** What needs no conversation: whether the tool exists, and whether it could take these arguments. */
export interface StaticResult {
  readonly faults: readonly Fault[]
  /** Top-level arguments that have a fault already. */
  readonly faulty: ReadonlySet<string>
  /** Arguments that would pass, if the faults have an obvious cure. */
  readonly repaired: JsonObject | undefined
  /** Present when there is a tool and there are arguments that can be looked at further. */
  readonly call: { readonly tool: Tool; readonly values: JsonObject } | undefined
}

/** A call with more values is not looked at: nobody proposes it, and each one costs time. */
const MOST_VALUES = 5000

export function checkStatically({ tools, call }: Question): StaticResult {
  if (tools.length === 0) return only(noTools())
  const tool = findTool(tools, call.tool)
  if (tool === undefined) return only(unknownTool(call.tool, toolNames(tools)))
  const read = readArguments(call.argumentsText)
  if (!read.ok) return only(invalidJson(read.why))
  if (read.values > MOST_VALUES) throw new TooLarge()
  return checkArguments(tool, read.value)
}

function only(fault: Fault): StaticResult {
  return { faults: [fault], faulty: new Set(), repaired: undefined, call: undefined }
}

function checkArguments(tool: Tool, values: JsonObject): StaticResult {
  const { unknown, violations } = faultsIn(tool, values)
  const call = { tool, values }
  if (unknown.length === 0 && violations.length === 0) {
    return { faults: [], faulty: new Set(), repaired: undefined, call }
  }
  const candidate = repaired(values, tool, unknown, violations)
  const cured = candidate !== undefined && isFaultless(tool, candidate) ? candidate : undefined
  const faults = [...(unknown.length > 0 ? [unknownArguments(tool, unknown)] : []), ...violationIssues(violations)]
  const faulty = new Set([...unknown, ...violations.map(({ path }) => path[0] ?? '')])
  return { faults, faulty, repaired: cured, call }
}

function faultsIn(
  tool: Tool,
  values: JsonObject,
): { readonly unknown: readonly string[]; readonly violations: readonly Violation[] } {
  const { names } = tool
  const unknown = names === undefined ? [] : Object.keys(values).filter((name) => !names.includes(name))
  return { unknown, violations: violationsOf(values, tool.schema()) }
}

function isFaultless(tool: Tool, values: JsonObject): boolean {
  const { unknown, violations } = faultsIn(tool, values)
  return unknown.length === 0 && violations.length === 0
}
