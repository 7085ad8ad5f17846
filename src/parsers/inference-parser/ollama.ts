import { chat } from './chat.ts'
import type { Dialect } from './dialect.ts'
import { proposalsTo } from './proposals.ts'

/** Ollama's own API: asked like a chat, answered in lines of JSON that nobody reads here. */
export const ollama: Dialect = {
  name: 'ollama',
  claims: ({ path, members }) => path.endsWith('/api/chat') && members.has('model') && members.has('messages'),
  shows: () => false,
  members: chat.members,
  read(body) {
    const { model, firstUserText, conversation } = chat.read(body)
    return { model, firstUserText, conversation, ...proposalsTo(body) }
  },
}
