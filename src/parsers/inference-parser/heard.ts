import type { JsonObject } from './dialect.ts'

/** How many tools a record names, and how much of each name. */
const SHOWN_TOOLS = 32
const SHOWN_CHARACTERS = 128

export interface ToolNames {
  add(tool: string): void
  /** For the record. */
  readonly details: { readonly tools?: readonly string[] }
}

/** The tools that an answer proposes, as a record has room for them. */
export function newToolNames(): ToolNames {
  const names = new Set<string>()
  return {
    add(tool) {
      if (names.size < SHOWN_TOOLS) names.add(tool.slice(0, SHOWN_CHARACTERS))
    },
    get details() {
      return names.size > 0 ? { tools: [...names] } : {}
    },
  }
}

/** Usage as numbers; what vendors nest beside them is left out. */
export function figures(usage: JsonObject): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(usage).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
}
