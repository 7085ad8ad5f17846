import { member } from '../../../../json/member.ts'
import type { Leaf } from './leaves.ts'
import { plainText } from './text.ts'

const SEARCHED_CHARACTERS = 4000
/** Words after which a description gives examples, to the end of the sentence. */
const EXAMPLES = /(?:e\.g\.|eg\.|such as|for example|for instance|examples?:|\blike)[^.;)]{0,200}/gi

/** What a description says without its examples. */
export function withoutExamples(description: string): string {
  return description.slice(0, SEARCHED_CHARACTERS).replace(EXAMPLES, ' ')
}

/** Whether a value is one that the specification gives for an example: models copy them. */
export function isExample({ value, description, schema }: Pick<Leaf, 'value' | 'description' | 'schema'>): boolean {
  const given = member(schema, 'examples') ?? member(schema, 'example')
  if ([given].flat().includes(value)) return true
  const wanted = plainText(String(value))
  if (wanted.length < 2) return false
  return (description.slice(0, SEARCHED_CHARACTERS).match(EXAMPLES) ?? []).some((text) =>
    holds(plainText(text), wanted),
  )
}

function holds(text: string, wanted: string): boolean {
  const at = text.indexOf(wanted)
  if (at === -1) return false
  return !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(at + wanted.length))
}
