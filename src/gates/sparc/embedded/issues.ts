import type { Issue, Note, Question } from '../reflector.ts'
import type { Finding } from './grounding/call/finding.ts'
import type { Source } from './grounding/heard/said.ts'
import type { Grounding } from './grounding/grounding.ts'
import type { Leaf } from './grounding/leaves.ts'
import { nearMiss, type NearMiss } from './grounding/near-miss.ts'
import { isRepeated } from './grounding/support.ts'
import { plainText } from './grounding/text.ts'
import { inventionName } from './policy.ts'
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

/** One issue for each argument with inventions in it, and one for all else that is wrong. */
export function groundingIssues(
  grounding: Grounding,
  values: JsonObject,
  tool: Tool,
  call: Question['call'],
): readonly Issue[] {
  const ofValues = inventionIssues(grounding, values, tool, call)
  return [...ofValues, ...grounding.findings.map((finding) => findingIssue(finding, values, call))].slice(
    0,
    MOST_ISSUES,
  )
}

function inventionIssues(
  { inventions, evidence }: Grounding,
  values: JsonObject,
  tool: Tool,
  call: Question['call'],
): readonly Issue[] {
  const parameters = [...new Set(inventions.map(({ leaf }) => leaf.parameter))]
  return parameters.slice(0, MOST_ISSUES).map((parameter, at) => {
    const ofParameter = inventions.filter(({ leaf }) => leaf.parameter === parameter)
    const own = ofParameter.map(({ leaf }) => leaf)
    const [first] = ofParameter
    const compared =
      at < MOST_COMPARED && own.length === 1 && first?.grade.kind === 'identifier' ? first.leaf : undefined
    const near =
      first?.grade.named !== undefined && own.length === 1
        ? { value: first.grade.named, from: 'user' as const }
        : compared && nearMiss(compared.value, evidence)
    const repeated =
      at < MOST_COMPARED && own.length === 1 && own[0] !== undefined && isRepeated(own[0].value, evidence)
    return {
      issue_type: 'semantic_parameter',
      metric_name: `${parameter}.parameter_hallucination_check`,
      ...(first && { finding: inventionName(first, tool) }),
      explanation:
        first?.grade.named === undefined
          ? explanationOf(own, near, repeated)
          : namesAnother(first.leaf, first.grade.named),
      correction: correctionOf(own, near, values, tool, call),
    }
  })
}

function namesAnother({ value, path }: Leaf, named: string): string {
  return `${shown(value)} of '${path.join('.')}' was not named, and the user names another option: ${shown(named)}.`
}

const METRICS: Readonly<Record<Finding['name'], string>> = {
  format_mismatch: 'parameter_value_format_alignment',
  wrong_order: 'parameter_value_format_alignment',
  swapped_arguments: 'general_hallucination_check',
  stale_value: 'general_hallucination_check',
  no_tool_fits: 'function_selection_appropriateness',
}

function findingIssue(
  { name, parameters, explanation, question, instead }: Finding,
  values: JsonObject,
  call: Question['call'],
): Issue {
  const metric = METRICS[name]
  const [parameter = ''] = parameters
  const isOfParameter = metric.startsWith('parameter')
  const asked =
    question ??
    `Which value should ${listed(
      parameters.map((each) => `'${each}'`),
      ' and ',
    )} of ${shown(call.tool)} have?`
  return {
    issue_type:
      name === 'no_tool_fits' ? 'semantic_function' : isOfParameter ? 'semantic_parameter' : 'semantic_general',
    metric_name: isOfParameter ? `${parameter}.${metric}` : metric,
    finding: name,
    explanation,
    correction: { question: asked, ...(instead && corrected({ ...values, ...instead }, call)) },
  }
}

/** Where something is to go that only a tool's result names. */
export function provenanceNotes({ fromTools }: Grounding): readonly Note[] {
  return fromTools.map(({ path, value }) => ({
    finding: 'only_in_tool_result',
    parameter: path.join('.'),
    provenance: 'tool',
    explanation: `${shown(value)} of '${path.join('.')}' stands in a tool's result only.`,
  }))
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
