import type { PluginType } from '../config/plugin-type.ts'

/** Every parser that can stand in a chain. A new protocol is one new folder and one line here. */
export const PARSER_TYPES: readonly PluginType[] = []
