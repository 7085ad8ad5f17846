import { Substituted } from './substituted.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const PART = /\$\$\{|\$\{([^}]*)(\}?)/g
const NAME = '[A-Za-z_][A-Za-z0-9_]*'
const VARIABLE = new RegExp(`^(${NAME})(?::-(.*))?$`, 's')

/** Finds a scalar in which something is replaced. Without look-around, which not every reader of a JSON Schema has. */
export const SUBSTITUTION = `(^|[^$])\\$\\{${NAME}(:-[^}]*)?\\}`

/**
 * Replaces `${NAME}` and `${NAME:-default}` (the default also stands in for an empty variable, as in a shell) and takes
 * `$${` for a literal `${`. What is not replaced stays a plain string.
 */
export function substitute(
  scalar: string,
  environment: Environment,
): string | Substituted | { readonly wrong: string } {
  let replaced = false
  let wrong: string | undefined
  const text = scalar.replaceAll(PART, (part: string, inside: string | undefined, close: string) => {
    if (inside === undefined) return '${'
    const [, name, otherwise] = VARIABLE.exec(inside) ?? []
    if (name === undefined || close === '') {
      wrong = `${part} is no substitution; write \${NAME} or \${NAME:-default}, or $\${ for a literal \${`
      return part
    }
    replaced = true
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    return value === undefined || value === '' ? (otherwise ?? '') : value
  })
  if (wrong !== undefined) return { wrong }
  return replaced ? new Substituted(text, scalar) : text
}
