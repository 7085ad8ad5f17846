import { expect, test } from 'vitest'
import { PLUGIN_TYPES } from '../../cli/plugins.ts'
import { readConfig } from '../../config/load.ts'

const REFERENCE = `
pipeline:
  outbound:
    plugins:
      - name: mcp-parser
      - name: ibac
        on_error: enforce
        config:
          judge_endpoint: "\${LLM_ENDPOINT}"
          judge_model: "\${LLM_MODEL}"
          judge_bearer: "\${LLM_BEARER}"        # optional
          system_prompt: ""                    # empty → built-in default
          timeout_ms: 5000
          judge_inference: false
          agent_llm_host: "ollama.local:11434" # added to bypass_hosts
          bypass_hosts:
            - "keycloak.*"
            - "otel-collector.*"
          bypass_paths:
            - "/healthz"
            - "/.well-known/*"
`

/** What is wrong with it; nothing when it loads. */
function faults(yaml: string): readonly string[] {
  const environment = { LLM_ENDPOINT: 'http://judge.test', LLM_MODEL: 'm' }
  const loaded = readConfig(yaml, 'reference.yaml', { environment, types: PLUGIN_TYPES })
  return loaded.ok ? [] : loaded.problems.map(({ message }) => message)
}

test('the configuration of the reference loads as it is written', () => {
  expect(faults(REFERENCE)).toEqual([])
})

// req: ibac:start:requires_any
test('it needs a parser of what the agent does', () => {
  expect(faults(REFERENCE.replace('- name: mcp-parser', ''))).toEqual([
    expect.stringMatching(/mcp-parser.*inference-parser/),
  ])
})

// req: ibac:start:outbound
test('it stands in the outbound chain only', () => {
  expect(faults(REFERENCE.replace('outbound:', 'inbound:'))).toContainEqual(expect.stringContaining('outbound'))
})
