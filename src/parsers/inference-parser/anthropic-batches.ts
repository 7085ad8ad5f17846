import { standsAt, type Dialect } from './dialect.ts'

/** Many requests in one body. Their answers come later and to another request, so nothing of them can be checked. */
export const batches: Dialect = {
  name: 'anthropic-batches',
  claims: (sight) => standsAt(sight, '/messages/batches', 'requests'),
  shows: () => false,
  members: new Set(),
  read: () => ({ model: '', firstUserText: '', conversation: undefined, proposes: 'unreadable' }),
}
