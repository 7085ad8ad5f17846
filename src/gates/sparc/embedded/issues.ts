import type { Issue, Question } from '../reflector.ts'
import type { Source } from './grounding/evidence.ts'
import type { Grounding } from './grounding/grounding.ts'
import type { Leaf } from './grounding/leaves.ts'
import { nearMiss, type NearMiss } from './grounding/near-miss.ts'
import { isRepeated } from './grounding/support.ts'
import { plainText } from './grounding/text.ts'
import type { JsonObject } from './schema/values.ts'
import type { StaticResult } from './static-check.ts'
import type { Tool } from './tool.ts'
import { listed, shown } from './words.ts'

export function staticIssues({ faults, repaired }: StaticResult, call: Question['call']): readonly Issue[] {
  const correction = repaired === undefined ? null : corrected(repaired, call)
  return faults.map(({ name, explanation }) => ({
    issue_type: 'static',
    metric_name: name,
    explanation,
    correction,
  }))
}

/** A call to make instead, as SPARC writes it: its arguments as an object. */
function corrected(values: JsonObject, { id, tool }: Question['call']): Readonly<Record<string, unknown>> {
  return {
    corrected_arguments: values,
    tool_call: { id: id ?? null, type: 'function', function: { name: tool, arguments: values } },
  }
}

/** Nobody reads more of them, and each costs as much as the call is long. */
const MOST_ISSUES = 50
/** So many are compared with all that was said once more. */
const MOST_COMPARED = 5

/** One issue for each argument with inventions in it. */
export function inventionIssues(
  { inventions, evidence }: Grounding,
  values: JsonObject,
  tool: Tool,
  call: Question['call'],
): readonly Issue[] {
  const parameters = [...new Set(inventions.map(({ parameter }) => parameter))]
  return parameters.slice(0, MOST_ISSUES).map((parameter, at) => {
    const own = inventions.filter((leaf) => leaf.parameter === parameter)
    const [first] = own
    const compared = at < MOST_COMPARED && own.length === 1 ? first : undefined
    const near = compared === undefined ? undefined : nearMiss(compared.value, evidence)
    const repeated = compared !== undefined && isRepeated(compared.value, evidence)
    return {
      issue_type: 'semantic_parameter',
      metric_name: `${parameter}.parameter_hallucination_check`,
      explanation: explanationOf(own, near, repeated),
      correction: correctionOf(own, near, values, tool, call),
    }
  })
}

const SAID_BY: Readonly<Record<Source, string>> = {
  user: "the user's words",
  system: 'the system prompt',
  tool: "a tool's result",
  assistant: 'an earlier answer',
}

function explanationOf(own: readonly Leaf[], near: NearMiss | undefined, repeated: boolean): string {
  const values = listed(own.map(({ value, path }) => `${shown(value)} of '${path.join('.')}'`))
  const verb = own.length === 1 ? 'stands' : 'stand'
  const told = `${values} ${verb} nowhere in what the user, the system prompt and the tools said.`
  const example = own.some(isInDescription) ? " It stands in the argument's description only." : ''
  const repeats = repeated ? ' The result of a call that was made with it only repeats it.' : ''
  return (
    told + repeats + example + (near === undefined ? '' : ` Near it, in ${SAID_BY[near.from]}: ${shown(near.value)}.`)
  )
}

function isInDescription({ value, description }: Leaf): boolean {
  return plainText(description).includes(plainText(String(value)))
}

function correctionOf(
  own: readonly Leaf[],
  near: NearMiss | undefined,
  values: JsonObject,
  tool: Tool,
  call: Question['call'],
): Readonly<Record<string, unknown>> {
  const [first] = own
  const parameter = first?.parameter ?? ''
  const question = questionFor(parameter, tool, near)
  if (near !== undefined && first !== undefined)
    return { question, ...corrected(replaced(values, first, near.value), call) }
  if (tool.required.has(parameter)) return { question }
  const rest = Object.fromEntries(Object.entries(values).filter(([name]) => name !== parameter))
  return corrected(rest, call)
}

function questionFor(parameter: string, tool: Tool, near: NearMiss | undefined): string {
  const what = `Which value should '${parameter}' of ${shown(tool.name)} have?`
  return near === undefined ? what : `${what} Is it ${shown(near.value)}?`
}

function replaced(values: JsonObject, { path, value: old }: Leaf, near: string): JsonObject {
  const copy = structuredClone(values) as Record<string, unknown>
  let place: unknown = copy
  for (const step of path.slice(0, -1)) place = (place as Record<string, unknown>)[step]
  ;(place as Record<string, unknown>)[path.at(-1) ?? ''] = typeof old === 'number' ? Number(near) : near
  return copy
}
