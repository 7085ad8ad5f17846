import type { Action } from '../../core/action.ts'
import type { IbacConfig } from './config.ts'
import type { Skip } from './rulings.ts'

/** Why an action is none of ibac's business; undefined when it is to be judged. */
export function skipFor(action: Action, config: IbacConfig): Skip | undefined {
  switch (action.kind) {
    case 'tool-call':
    case 'request':
      return undefined
    case 'mechanics':
      return skipsHere(action, config) ? 'protocol_mechanics' : undefined
    case 'unclassified':
      return config.unclassified_policy === 'passthrough' ? 'unclassified' : undefined
    case 'inference':
      return !config.judge_inference && skipsHere(action, config) ? 'inference_bypass' : undefined
  }
}

/**
 * Looking like housekeeping is no way past: a skip holds where the protocol is at home. Where nobody said where that is,
 * it holds only under the policy that lets plain traffic pass anyway.
 */
function skipsHere(action: Action, config: IbacConfig): boolean {
  switch (action.home) {
    case 'own':
      return true
    case 'foreign':
      return false
    case 'unstated':
      return config.unclassified_policy === 'passthrough'
  }
}
