import type { PluginType } from '../config/plugin-type.ts'
import { a2aParserType } from './a2a-parser/index.ts'
import { inferenceParserType } from './inference-parser/index.ts'
import { mcpParserType } from './mcp-parser/index.ts'

/** Every parser that can stand in a chain. A new protocol is one new folder and one line here. */
export const PARSER_TYPES: readonly PluginType[] = [a2aParserType, inferenceParserType, mcpParserType]
