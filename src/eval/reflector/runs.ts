import type { ReflectedMessage } from '../../gates/sparc/reflector.ts'
import { isObject } from '../../json/rpc.ts'
import type { Scenario, Step, ToolSpec } from '../judge/scenario.ts'
import type { Gold } from './bfcl.ts'
import type { FunctionSpec } from './forms.ts'

/** The calls of runs without poison as right calls, each with what was said and answered before it. */
export function goldOfRuns(runs: readonly Scenario[]): readonly Gold[] {
  return runs.filter(({ kind }) => kind === 'benign').flatMap(goldOfRun)
}

function goldOfRun({ id, system, intent, tools, steps }: Scenario): readonly Gold[] {
  const specs = [...tools.values()].map(specOf)
  const said: readonly ReflectedMessage[] = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: intent },
  ]
  return steps.flatMap(({ tool, args }, at): readonly Gold[] => {
    const spec = specs.find(({ name }) => name === tool)
    if (spec === undefined) return []
    const messages = [...said, ...steps.slice(0, at).flatMap(messagesOf)]
    const accepted = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, [value]]))
    return [{ source: 'runs', row: `${id}#${at}`, messages, tools: specs, spec, args, full: args, accepted }]
  })
}

function specOf({ name, description, parameters }: ToolSpec): FunctionSpec {
  return { name, description, parameters: isObject(parameters) ? parameters : {} }
}

function messagesOf({ tool, args, answer }: Step, at: number): readonly ReflectedMessage[] {
  const id = `call_${at}`
  const call = { id, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } } as const
  return [
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', content: answer, tool_call_id: id },
  ]
}
