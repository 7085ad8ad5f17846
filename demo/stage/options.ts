import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import { messageOf } from '../../src/core/message-of.ts'

/** A model at an OpenAI-compatible endpoint that judges for ibac. */
export interface JudgeOption {
  readonly endpoint: string
  readonly model: string
}

export const JUDGE_OPTIONS = { 'judge-endpoint': { type: 'string' }, 'judge-model': { type: 'string' } } as const

interface JudgeValues {
  readonly 'judge-endpoint'?: string | undefined
  readonly 'judge-model'?: string | undefined
}

export function judgeIn({ 'judge-endpoint': endpoint, 'judge-model': model }: JudgeValues): JudgeOption | undefined {
  if (endpoint === undefined && model === undefined) return undefined
  if (endpoint === undefined || model === undefined) throw new Error('--judge-endpoint and --judge-model go together')
  return { endpoint: baseUrl('--judge-endpoint', endpoint, '/v1'), model }
}

/** What a configuration would refuse is better said before the first act. `added`: what Plumbline puts at its end. */
export function baseUrl(option: string, value: string, added: string): string {
  if (/^https?:\/\/./.test(value) && !value.replace(/\/$/, '').endsWith(added)) return value
  throw new Error(`${option} is a base URL: http:// or https://, and no ${added} at its end`)
}

/** What `read` makes of the arguments or, in words, what is wrong with them. */
export function readArgs<const C extends NonNullable<ParseArgsConfig['options']>, Options>(
  args: readonly string[],
  options: C,
  read: (values: ReturnType<typeof parseArgs<{ options: C }>>['values']) => Options,
): Options | string {
  try {
    return read(parseArgs({ args: [...args], options }).values)
  } catch (error) {
    return messageOf(error)
  }
}
