import { holds } from './find.ts'
import type { Ground } from './ground.ts'
import { leavesWithRarestWord } from './places.ts'

/** A name that is also a word or two says nothing when it is met. */
const IDENTIFIER = /[_.-]|[a-z][A-Z]/
const LOOKED_AT = 300

/** A result names the tool, as only text for an agent does; what the tool itself answers may. */
export function isNamedIn(tool: string, { evidence, user }: Ground): boolean {
  const name = tool.toLowerCase()
  if (!IDENTIFIER.test(tool) || holds(user.text, name)) return false
  return leavesWithRarestWord(name, evidence)
    .slice(-LOOKED_AT)
    .some((id) => {
      const leaf = evidence.leaves[id]
      return leaf !== undefined && holds(leaf.text, name) && evidence.results[leaf.result]?.tool !== tool
    })
}
