import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readConfig, type Loaded } from '../../../src/config/load.ts'
import type { PluginType } from '../../../src/config/plugin-type.ts'

/** A plugin whose own configuration is not what an example is about. */
function stub(name: string, kind: 'parser' | 'gate'): PluginType {
  return {
    name,
    kind,
    directions: ['inbound', 'outbound'],
    schema: z.unknown(),
    requires: [],
    requiresAny: [],
    codes: {},
    create: () => {
      throw new Error('not made here')
    },
  }
}

const OTHERS = [
  stub('a2a-parser', 'parser'),
  stub('inference-parser', 'parser'),
  stub('mcp-parser', 'parser'),
  stub('ibac', 'gate'),
]

export interface Readme {
  readonly text: string
  /** Its blocks of YAML. */
  readonly examples: readonly string[]
  load(yaml: string): Loaded
}

/** A parser's README, whose examples load with that parser as it is. */
export function readmeOf(folder: string, type: PluginType): Readme {
  const text = readFileSync(join(folder, 'README.md'), 'utf8')
  const types = [type, ...OTHERS.filter((other) => other.name !== type.name)]
  return {
    text,
    examples: [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml),
    load: (yaml) => readConfig(yaml, 'README.md', { environment: {}, types }),
  }
}
