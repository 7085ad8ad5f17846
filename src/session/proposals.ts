import { hash } from 'node:crypto'
import type { ProposedCall } from '../core/session.ts'
import { canonicalArguments, canonicalText } from './canonical.ts'
import { LIMITS } from './limits.ts'

/** A call of a tool, on its way to it. */
export interface Call {
  readonly tool: string
  readonly args: unknown
}

interface Proposal {
  readonly tool: string
  /** Digest: arguments may be long, and are only ever compared. */
  readonly args: string
}

/** What stands between a server's name and its tool's, where a model knows the tool by both. */
const SEPARATORS = '_-./:'

/** The calls that one answer of a model proposed. */
export class Proposals {
  readonly #proposals: Proposal[] = []

  /** Returns how many characters it keeps of them. */
  add(calls: readonly ProposedCall[]): number {
    const room = LIMITS.proposals - this.#proposals.length
    const added = calls.flatMap(proposalOf).slice(0, room)
    this.#proposals.push(...added)
    return added.reduce((chars, { tool, args }) => chars + tool.length + args.length, 0)
  }

  /** By its own name, or one with a server's before it. */
  has(call: Call): boolean {
    return this.#some(call, (tool) => isName(tool, call.tool))
  }

  hasByOwnName(call: Call): boolean {
    return this.#some(call, (tool) => tool === call.tool)
  }

  #some(call: Call, isMeant: (tool: string) => boolean): boolean {
    const named = this.#proposals.filter(({ tool }) => isMeant(tool))
    if (named.length === 0) return false
    const args = digestOfArguments(call.args)
    return args !== undefined && named.some((proposal) => proposal.args === args)
  }
}

function proposalOf({ tool, argumentsText }: ProposedCall): Proposal[] {
  const args = digest(canonicalText(argumentsText))
  return args === undefined || tool.length > LIMITS.proposedToolChars ? [] : [{ tool, args }]
}

/** Whether a model that proposed this name may have meant the tool. */
export function isName(proposed: string, tool: string): boolean {
  if (proposed === tool) return true
  if (tool === '' || !proposed.endsWith(tool)) return false
  return SEPARATORS.includes(proposed.charAt(proposed.length - tool.length - 1))
}

/** One call is looked for in all that many sessions were proposed, and its arguments may be long. */
const digests = new WeakMap<object, string | undefined>()

function digestOfArguments(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return digest(canonicalArguments(args))
  if (!digests.has(args)) digests.set(args, digest(canonicalArguments(args)))
  return digests.get(args)
}

function digest(text: string | undefined): string | undefined {
  return text === undefined ? undefined : hash('sha256', text, 'base64url')
}
