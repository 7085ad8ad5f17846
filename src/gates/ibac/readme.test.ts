import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configOf } from '../../../test/support/gates/ibac.ts'
import { globs, list, strictObject, text } from '../../config/fields.ts'
import { readConfig } from '../../config/load.ts'
import type { PluginType } from '../../config/plugin-type.ts'
import { IBAC_CODES } from './codes.ts'
import { ibacType } from './index.ts'

const README = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')

/** Parsers by name: the examples are about the gate, which knows of them only what stands in their configuration. */
const parsers = ['a2a-parser', 'mcp-parser', 'inference-parser'].map((name): PluginType => ({
  name,
  kind: 'parser',
  directions: ['inbound', 'outbound'],
  schema: strictObject({ hosts: globs('host').default([]), paths: list(text()).default([]) }),
  requires: [],
  requiresAny: [],
  codes: {},
  create: () => {
    throw new Error('not made here')
  },
}))

const load = (yaml: string) =>
  readConfig(yaml, 'README.md', {
    environment: { LLM_ENDPOINT: 'http://judge.test', LLM_MODEL: 'm' },
    types: [...parsers, ibacType],
  })

describe('the examples', () => {
  const examples = [...README.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml)

  test('are there', () => {
    expect(examples.length).toBeGreaterThan(2)
  })

  test.each(examples)('load: %s', (yaml) => {
    expect(load(yaml)).toMatchObject({ ok: true })
  })
})

test('the configuration of the reference loads as it is written', () => {
  const yaml = `
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
  expect(load(yaml)).toMatchObject({ ok: true })
  // req: ibac:start:requires_any
  const alone = load(yaml.replace('- name: mcp-parser', ''))
  expect(alone.ok ? [] : alone.problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/mcp-parser.*inference-parser/),
  ])
  // req: ibac:start:outbound
  const inbound = load(yaml.replace('outbound:', 'inbound:'))
  expect(inbound.ok ? [] : inbound.problems.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('outbound'),
  )
})

describe('the tables', () => {
  test.each(Object.entries(configOf()))('have the field %s with its default', (name, value) => {
    const [, row] = new RegExp(`^\\| \`${name}\` \\| (.*?) \\|`, 'm').exec(README) ?? []
    if (name === 'judge_endpoint' || name === 'judge_model') expect(row).toContain('required')
    else if (name === 'system_prompt') expect(row).toBe('built-in')
    else if (Array.isArray(value) && value.length > 0) expect(row).toBe(value.map((each) => `\`${each}\``).join(', '))
    else expect(row).toBe(`\`${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}\``)
  })

  test.each(Object.entries(IBAC_CODES))('have the code %s with its status', (code, { status }) => {
    expect(README).toContain(`| \`${code}\` | ${status} |`)
  })
})
