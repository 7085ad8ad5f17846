import { isObject } from '../../json/rpc.ts'
import { contentText } from './chat-content.ts'
import { textOf, type Dialect, type InferenceRequest, type JsonObject } from './dialect.ts'
import { proposalsTo } from './proposals.ts'

/**
 * Requests whose words are in `input` (responses, embeddings) or in a prompt that the provider keeps: known to be
 * inference, read as far as a gate needs, their answers not read.
 */
export const prompted: Dialect = {
  name: 'prompted',
  claims: () => false,
  shows: (members) => members.has('model') && (members.has('input') || members.has('prompt')),
  members: new Set(['model', 'input', 'prompt', 'stream']),
  read: readPrompted,
}

function readPrompted(body: JsonObject): InferenceRequest {
  const words = body['input'] ?? body['prompt']
  return {
    model: textOf(body['model']),
    firstUserText: Array.isArray(words) ? firstUserText(words) : textOf(words),
    conversation: undefined,
    ...proposalsTo(body),
  }
}

/** Items may be bare texts, or messages with roles; whoever leaves the role out speaks as the user. */
function firstUserText(items: readonly unknown[]): string {
  for (const item of items) {
    if (typeof item === 'string' && item !== '') return item
    if (!isObject(item) || (item['role'] ?? 'user') !== 'user') continue
    const text = contentText(item['content'] ?? [item], '\n')
    if (text !== '') return text
  }
  return ''
}
