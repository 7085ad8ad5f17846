import type { Action } from '../../core/action.ts'

/** The call stands in a model's answer. The exchange around it goes to the model, and not where the call would. */
export function isProposed(action: Action): boolean {
  return action.kind === 'tool-call' && action.proposed !== undefined
}
