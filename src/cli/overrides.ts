import type { Chain } from '../core/plugin.ts'
import { type BodyMode, MODE_PAIRS } from '../extproc/messages.ts'

/** An entry of `allowed_override_modes`, as Envoy's configuration spells it. */
export interface Override {
  readonly request_body_mode: string
  readonly response_body_mode: string
  readonly response_header_mode: 'SEND'
  readonly request_trailer_mode: 'SEND'
  readonly response_trailer_mode: 'SEND'
}

const SPELLED: Readonly<Partial<Record<BodyMode, string>>> = { full_duplex: 'FULL_DUPLEX_STREAMED' }

const spell = (mode: BodyMode) => SPELLED[mode] ?? mode.toUpperCase()

/** What Envoy has to allow for a chain: one that it refuses goes unheeded, and bodies are not shown as they must be. */
export function overridesFor(chain: Chain): readonly Override[] {
  const edits = mayEditAnswers(chain)
  return MODE_PAIRS.filter(({ response }) => edits || response !== 'full_duplex').map(({ request, response }) => ({
    request_body_mode: spell(request),
    response_body_mode: spell(response),
    response_header_mode: 'SEND',
    request_trailer_mode: 'SEND',
    response_trailer_mode: 'SEND',
  }))
}

/** Only for a refused call is a streamed answer written anew. */
function mayEditAnswers({ plugins }: Chain): boolean {
  return plugins.some(
    ({ mode, plugin }) => plugin.kind === 'gate' && mode === 'enforce' && plugin.points.includes('completion'),
  )
}
