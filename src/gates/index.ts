import type { PluginType } from '../config/plugin-type.ts'
import { ibacType } from './ibac/index.ts'
import { sparcType } from './sparc/index.ts'

/** Every gate that can stand in a chain. A new gate is one new folder and one line here. */
export const GATE_TYPES: readonly PluginType[] = [ibacType, sparcType]
