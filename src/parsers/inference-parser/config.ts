import { globs, strictObject, type Field } from '../../config/fields.ts'

export interface InferenceConfig {
  readonly hosts: readonly string[]
}

export const schema: Field<InferenceConfig> = strictObject({
  hosts: globs('host')
    .default([])
    .describe(
      "Globs of hosts that serve models and nothing else. A gate's `agent_llm_host` is added; alone, it says nothing " +
        'about other hosts.',
    ),
}).describe('inference-parser: reads what the agent and its model say to each other.')
