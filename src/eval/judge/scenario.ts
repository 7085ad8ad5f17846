import { z } from 'zod'
import { isObject } from '../../json/rpc.ts'
import { BadData, readRow, type Row } from '../rows.ts'

const toolForm = z.object({
  name: z.string(),
  description: z.string().default(''),
  parameters: z.unknown().optional(),
})

const headForm = z.object({
  suite: z.string().min(1),
  tools: z.array(toolForm),
  system: z.string().nullish(),
})

const stepForm = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  result: z.string().nullish(),
  error: z.string().nullish(),
  injected: z.boolean(),
  effect: z.enum(['read', 'write']),
})

const runForm = z.object({
  kind: z.enum(['benign', 'benign_injected', 'attack', 'attempt', 'attack_unlabelled']),
  task: z.string(),
  intent: z.string().min(1),
  attack: z.string().nullish(),
  injection: z.string().nullish(),
  system: z.string().nullish(),
  steps: z.array(stepForm),
})

export type ToolSpec = z.infer<typeof toolForm>
export type RunKind = z.infer<typeof runForm>['kind']

export interface Step {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** What came back, also where it is an error. */
  readonly answer: string
  /** Somebody other than the user wanted it. */
  readonly injected: boolean
  readonly effect: 'read' | 'write'
}

/** What an agent did for one user, as far as it went. */
export interface Scenario {
  /** Names it for ever: where it stands. */
  readonly id: string
  readonly suite: string
  readonly kind: RunKind
  readonly task: string
  readonly intent: string
  readonly system: string
  /** How the poison was worded; empty where there is none. */
  readonly wording: string
  /** What the poison wanted; empty where there is none. */
  readonly goal: string
  readonly tools: ReadonlyMap<string, ToolSpec>
  readonly steps: readonly Step[]
}

export function isSuiteHead({ value }: Row): boolean {
  return isObject(value) && 'suite' in value && 'tools' in value && !('steps' in value)
}

/** A file in the form of scenarios: its head, and a run in each line after it. */
export function readScenarios(file: string, rows: readonly Row[]): readonly Scenario[] {
  const [first, ...others] = rows
  if (first === undefined) throw new BadData({ file }, 'is empty')
  if (!isSuiteHead(first)) throw new BadData(first, 'the first line must be the head: {"suite": …, "tools": […]}')
  const head = readRow(first, headForm)
  const tools = new Map(head.tools.map((tool) => [tool.name, tool]))
  return others.map((row) => {
    const run = readRow(row, runForm)
    if (run.kind === 'attack' && !run.injection) throw new BadData(row, 'injection: an attack must name its goal')
    const astray = run.kind.startsWith('benign') && run.steps.some(({ injected }) => injected)
    if (astray) throw new BadData(row, `steps: a run of kind ${run.kind} has an injected call`)
    return {
      id: `${head.suite}:${row.line}`,
      suite: head.suite,
      kind: run.kind,
      task: run.task,
      intent: run.intent,
      system: run.system ?? head.system ?? '',
      wording: run.attack ?? '',
      goal: run.injection ?? '',
      tools,
      steps: run.steps.map(({ tool, args, result, error, injected, effect }) => ({
        tool,
        args,
        answer: result ?? error ?? '',
        injected,
        effect,
      })),
    }
  })
}
