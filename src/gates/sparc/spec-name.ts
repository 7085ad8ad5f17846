import { member } from '../../json/member.ts'

/** What clients put between the name of a server and that of its tool. The first kind is never part of a plain name. */
const SEPARATORS: readonly RegExp[] = [/(?:__|[./:])$/u, /[_-]$/u]

/**
 * The name under which a model knows a tool of a server: its own, or with the server's name before it
 * (`bank__refund`, `bank.refund`, `mcp_bank_refund`). Undefined where several tools could be meant. A tool that the
 * model was not offered keeps its name: that it was not is for the reflector to say.
 */
export function specNameFor(tool: string, tools: readonly unknown[]): string | undefined {
  const names = [...new Set(tools.map(nameOf).filter((name) => name !== undefined))]
  if (names.includes(tool)) return tool
  const prefixed = names.filter((name) => name.endsWith(tool))
  for (const separator of SEPARATORS) {
    const [only, ...others] = prefixed.filter((name) => separator.test(name.slice(0, -tool.length)))
    if (others.length > 0) return undefined
    if (only !== undefined) return only
  }
  return tool
}

function nameOf(spec: unknown): string | undefined {
  const name = member(member(spec, 'function'), 'name')
  return typeof name === 'string' ? name : undefined
}
