import { baseUrl, JUDGE_OPTIONS, judgeIn, readArgs } from '../stage/options.ts'
import type { JudgeOption } from '../stage/options.ts'

export const USAGE = `npm run demo -- finance [options]
  --reflector-endpoint URL  let a real SPARC service reflect (see sparc-service/); without it the built-in reflector
  --judge-endpoint URL      let a real model judge for ibac; without it a script that looks only at intent
  --judge-model NAME        which one
To see that the demo can fail:
  --without-sparc           take the gate out of the guarded acts
  --observe                 let the gate only watch`

export interface Options {
  readonly judge: JudgeOption | undefined
  readonly reflectorEndpoint: string | undefined
  readonly withoutSparc: boolean
  readonly observe: boolean
}

const OPTIONS = {
  ...JUDGE_OPTIONS,
  'reflector-endpoint': { type: 'string' },
  'without-sparc': { type: 'boolean', default: false },
  observe: { type: 'boolean', default: false },
} as const

export function readOptions(args: readonly string[]): Options | string {
  return readArgs(args, OPTIONS, (values) => {
    const reflector = values['reflector-endpoint']
    return {
      judge: judgeIn(values),
      reflectorEndpoint: reflector === undefined ? undefined : baseUrl('--reflector-endpoint', reflector, '/reflect'),
      withoutSparc: values['without-sparc'],
      observe: values.observe,
    }
  })
}
