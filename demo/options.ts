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

/** Undefined when what was written makes no sense. */
export function readOptions(args: readonly string[]): Options | undefined {
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
    if ((endpoint === undefined) !== (model === undefined)) return undefined
    const judge = endpoint !== undefined && model !== undefined ? { endpoint, model } : undefined
    return { judge, keep: values.keep, withoutIbac: values['without-ibac'], observe: values.observe }
  } catch {
    return undefined
  }
}
