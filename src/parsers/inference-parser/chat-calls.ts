import { isObject } from '../../json/rpc.ts'
import { indexOf, textOf, type JsonObject } from './dialect.ts'

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

/** The calls of one choice, as far as they are heard. */
export interface CallsSoFar<Call> {
  readonly calls: readonly Call[]
  /** By the index that the server gave them. */
  readonly byIndex: ReadonlyMap<number, Call>
  readonly byId: ReadonlyMap<string, Call>
}

export interface Place<Call> {
  readonly index: number | undefined
  /** Empty where the fragment has none. */
  readonly id: string
  /** What stands in the fragment's place; undefined where nothing does. */
  readonly current: Call | undefined
  /** The fragment begins another call in that place. */
  readonly another: boolean
}

/**
 * Where a fragment of a call belongs. Servers differ: some leave the index out, some use one index for all calls and
 * only change the id.
 */
export function placeOf<Call extends { readonly id: string | undefined }>(
  { calls, byIndex, byId }: CallsSoFar<Call>,
  fragment: JsonObject,
): Place<Call> {
  const index = indexOf(fragment)
  const id = textOf(fragment['id'])
  const begins = id !== '' || callPieces(fragment).tool !== ''
  const current = index === undefined ? (byId.get(id) ?? (begins ? undefined : calls.at(-1))) : byIndex.get(index)
  return { index, id, current, another: current?.id !== undefined && id !== '' && id !== current.id }
}
