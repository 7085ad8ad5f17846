import { isObject } from '../../json/rpc.ts'
import { textOf, type JsonObject } from './dialect.ts'

/** What names a call and what goes into it: `function` in most calls, `custom` where the input is free text. */
export interface CallPieces {
  readonly tool: string
  readonly argumentsText: string
}

/** Reads `{function:{name,arguments}}` or `{custom:{name,input}}`, whole or a fragment of it. */
export function callPieces(call: JsonObject): CallPieces {
  const custom = call['custom']
  if (isObject(custom)) return { tool: textOf(custom['name']), argumentsText: argumentsText(custom['input']) }
  return functionPieces(call['function'])
}

/** Reads `{name,arguments}`: the inside of a call, and the whole of a legacy `function_call`. */
export function functionPieces(value: unknown): CallPieces {
  if (!isObject(value)) return { tool: '', argumentsText: '' }
  return { tool: textOf(value['name']), argumentsText: argumentsText(value['arguments']) }
}

/** Some servers send the arguments as an object instead of its text. */
export function argumentsText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return textOf(value)
  try {
    return JSON.stringify(value)
  } catch {
    // Nested deeper than can be written; no tool takes that.
    return ''
  }
}
