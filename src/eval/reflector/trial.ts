import type { ReflectedMessage } from '../../gates/sparc/reflector.ts'
import type { FunctionSpec } from './forms.ts'

/** What is wrong with a call that was made up, or that the data calls wrong. */
export const KINDS = [
  'unknown_tool',
  'unknown_param',
  'drop_required',
  'wrong_type',
  'swap_id',
  'swap_date',
  'swap_number',
  'swap_string',
  'swap_enum',
  'swap_args',
  'invented_optional',
  'missing_info',
  'no_tool_fits',
] as const
export type Kind = (typeof KINDS)[number]

/** What a schema alone can find. All other kinds need the conversation. */
export const STATIC_KINDS: readonly Kind[] = ['unknown_tool', 'unknown_param', 'drop_required', 'wrong_type']

/** Public data, or runs of an agent. */
export type Source = 'bfcl' | 'when2call' | 'runs'

export type Arguments = Readonly<Record<string, unknown>>

/** One call that a reflector is shown, and what it should say. */
export interface Trial {
  readonly source: Source
  readonly row: string
  /** `gold`: as the data has it. `gold_full`: with the optional values that the data accepts too. */
  readonly label: 'gold' | 'gold_full' | Kind
  readonly messages: readonly ReflectedMessage[]
  readonly tools: readonly FunctionSpec[]
  readonly tool: string
  readonly args: Arguments
  /** Where it was changed. */
  readonly parameter?: string
}
