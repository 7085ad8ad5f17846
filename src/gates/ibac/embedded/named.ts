import { holds } from './find.ts'
import type { Ground } from './ground.ts'
import { leavesWithRarestWord, MOST_PLAIN } from './places.ts'

/** A name that is also a word or two says nothing when it is met. */
const IDENTIFIER = /[_.-]|[a-z][A-Z]/

/** A result names the tool, as only text for an agent does; what the tool itself answers may. */
export function isNamedIn(tool: string, { evidence, user }: Ground): boolean {
  const name = tool.toLowerCase()
  if (!IDENTIFIER.test(tool) || holds(user.text, name)) return false
  const leaves = leavesWithRarestWord(name, evidence)
  return leaves.some((id, index) => {
    const leaf = evidence.leaves[id]
    if (leaf === undefined || (leaf.level === 0 && index < leaves.length - MOST_PLAIN)) return false
    return holds(leaf.text, name) && evidence.results[leaf.result]?.tool !== tool
  })
}
