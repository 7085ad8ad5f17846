import { readAnthropic } from './anthropic.ts'
import { standsAt, type Dialect } from './dialect.ts'

/** How many tokens a request would have. It carries the whole conversation, and no model speaks. */
export const countTokens: Dialect = {
  name: 'anthropic',
  claims: (sight) => standsAt(sight, '/messages/count_tokens', 'messages'),
  shows: () => false,
  members: new Set(['model', 'messages', 'system', 'tools']),
  read(body) {
    const { model, firstUserText } = readAnthropic(body)
    return { model, firstUserText, conversation: undefined, housekeeping: 'messages/count_tokens' }
  },
}
