import type { HeaderView } from '../../core/exchange.ts'
import type { NonEmpty } from '../../core/plugin.ts'
import { anthropic } from './anthropic.ts'
import { batches } from './anthropic-batches.ts'
import { countTokens } from './anthropic-count.ts'
import { chat } from './chat.ts'
import { completions } from './completions.ts'
import type { Dialect, JsonObject, Sight } from './dialect.ts'
import { ollama } from './ollama.ts'
import { prompted } from './prompted.ts'

/** Every dialect, the more telling first. */
const DIALECTS: readonly Dialect[] = [anthropic, countTokens, batches, ollama, chat, completions, prompted]

/** The dialects that a request could be in: the one that its path names, else all that its members show. */
export function dialectsOf(sight: Sight): NonEmpty<Dialect> | undefined {
  const claiming = DIALECTS.find((dialect) => dialect.claims(sight))
  if (claiming !== undefined) return [claiming]
  const [first, ...others] = DIALECTS.filter((dialect) => dialect.shows(sight.members))
  return first === undefined ? undefined : [first, ...others]
}

/** Which of them it is, now that the request can be read. */
export function settle(possible: NonEmpty<Dialect>, body: JsonObject, headers: HeaderView): Dialect {
  return possible.find((dialect) => dialect.fits?.(body, headers) ?? true) ?? possible[0]
}
