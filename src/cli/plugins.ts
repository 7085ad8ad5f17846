import type { PluginType } from '../config/plugin-type.ts'
import { GATE_TYPES } from '../gates/index.ts'
import { PARSER_TYPES } from '../parsers/index.ts'

/** Every plugin of this version. */
export const PLUGIN_TYPES: readonly PluginType[] = [...PARSER_TYPES, ...GATE_TYPES]
