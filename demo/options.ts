import { parseArgs } from 'node:util'

export const USAGE = `npm run demo -- [options]
  --judge-endpoint URL   let a real model judge (OpenAI-compatible: Ollama, OpenAI, vLLM); without it the built-in judge
  --judge-model NAME     which one
  --keep                 leave everything running at the end, and print lines for curl
To see that the demo can fail:
  --without-ibac         take the gate out of the guarded acts
  --observe              let the gate only watch`

export interface Options {
  readonly judge: { readonly endpoint: string; readonly model: string } | undefined
  readonly keep: boolean
  readonly withoutIbac: boolean
  readonly observe: boolean
}

/** What the gate's configuration would refuse; better said before the first act. */
const BASE_URL = /^https?:\/\/.+(?<!\/v1\/?)$/

/** Or, in words, what is wrong with what was written. */
export function readOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'judge-endpoint': { type: 'string' },
        'judge-model': { type: 'string' },
        keep: { type: 'boolean', default: false },
        'without-ibac': { type: 'boolean', default: false },
        observe: { type: 'boolean', default: false },
      },
    })
    const { 'judge-endpoint': endpoint, 'judge-model': model } = values
    if ((endpoint === undefined) !== (model === undefined)) return '--judge-endpoint and --judge-model go together'
    if (endpoint !== undefined && !BASE_URL.test(endpoint)) {
      return '--judge-endpoint is a base URL: http:// or https://, and no /v1 at its end'
    }
    const judge = endpoint !== undefined && model !== undefined ? { endpoint, model } : undefined
    return { judge, keep: values.keep, withoutIbac: values['without-ibac'], observe: values.observe }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
