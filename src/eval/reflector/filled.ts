import { member } from '../../json/member.ts'
import { isObject } from '../../json/rpc.ts'
import { newRandom } from '../random.ts'
import type { Unanswerable } from './bfcl.ts'
import { optionsOf } from './values.ts'
import type { Arguments, Trial } from './trial.ts'

/**
 * A call of a function that does not answer the question, filled with what the question says: its numbers, its names,
 * what it quotes, then its longer words. Each argument alone has support.
 */
export function filledCall({ source, row, messages, tools }: Unanswerable, seed: string): Trial | undefined {
  const random = newRandom(`${seed} ${row} no_tool_fits`)
  const spec = random.pick(tools)
  if (spec === undefined) return undefined
  const text = messages.map(({ content }) => content).join('\n')
  const properties = member(spec.parameters, 'properties')
  const required = member(spec.parameters, 'required')
  const numbers = [...text.matchAll(/(?<![\p{L}\d])\d+(?:\.\d+)?/gu)].map(([found]) => Number(found))
  const words = wordsFrom(text)
  const args: Arguments = Object.fromEntries(
    Object.entries(isObject(properties) ? properties : {})
      .filter(([name]) => Array.isArray(required) && required.includes(name))
      .map(([name, schema]) => [name, filler(schema, numbers, words)]),
  )
  return { source, row, messages, tools, tool: spec.name, args, label: 'no_tool_fits' }
}

function wordsFrom(text: string): string[] {
  const quoted = [...text.matchAll(/["'“]([^"'“”]{2,40})["'”]/gu)].map((match) => match[1] ?? '')
  const named = [...text.matchAll(/(?<=[\p{L}\d,] )\p{Lu}[\p{L}\d]+(?: \p{Lu}[\p{L}\d]+)*/gu)].map(([found]) => found)
  const long = [...text.matchAll(/\p{Ll}{5,}/gu)].map(([found]) => found).sort((a, b) => b.length - a.length)
  return [...quoted, ...named, ...long]
}

/** Takes what it uses, so that two parameters have two values. */
function filler(schema: unknown, numbers: number[], words: string[]): unknown {
  const options = optionsOf(schema)
  if (options !== undefined) return options[0]
  switch (member(schema, 'type')) {
    case 'integer':
      return Math.round(numbers.shift() ?? 1)
    case 'number':
    case 'float':
      return numbers.shift() ?? 1
    case 'boolean':
      return true
    case 'array':
    case 'tuple':
      return [filler(member(schema, 'items') ?? {}, numbers, words)]
    case 'dict':
    case 'object':
      return {}
    default:
      return words.shift() ?? 'it'
  }
}
