import type { Hearing } from '../kit/lesson-reader.ts'
import { isObject } from '../../json/rpc.ts'
import { createChatCompletion } from './chat-completion.ts'
import { objectsIn, standsAt, textOf, type Dialect, type InferenceRequest, type JsonObject } from './dialect.ts'
import { proposalsTo } from './proposals.ts'

/** OpenAI's legacy completions: a text that the model goes on with. It knows no tools. */
export const completions: Dialect = {
  name: 'completions',
  claims: (sight) => standsAt(sight, '/completions', 'prompt') && !sight.members.has('messages'),
  shows: (members) => members.has('model') && members.has('prompt'),
  fits: ({ prompt, input }) => input === undefined && !isObject(prompt),
  members: new Set(['model', 'prompt', 'stream']),
  read: readCompletions,
  openCompletion: createTextCompletion,
}

function readCompletions(body: JsonObject): InferenceRequest {
  const prompts = textsIn(body['prompt'])
  return {
    model: textOf(body['model']),
    firstUserText: prompts[0] ?? '',
    // Tokens are no words: such a prompt would only hide the conversation before it.
    conversation:
      prompts.length === 0 ? undefined : { messages: prompts.map((text) => ({ role: 'user', text })), tools: [] },
    ...proposalsTo(body),
  }
}

function textsIn(prompt: unknown): readonly string[] {
  const texts = Array.isArray(prompt) ? (prompt as readonly unknown[]).map(textOf) : [textOf(prompt)]
  return texts.filter((text) => text !== '')
}

/** Choices are those of a chat, but for their words standing in the choice itself. */
function createTextCompletion(): Hearing {
  const completion = createChatCompletion()
  return {
    hear: (value) => completion.hear(isObject(value) ? { ...value, choices: asDeltas(value['choices']) } : value),
    mark: (data) => completion.mark?.(data) ?? [],
    rest: () => completion.rest(),
    get details() {
      return completion.details
    },
  }
}

const asDeltas = (choices: unknown): readonly JsonObject[] =>
  objectsIn(choices).map(({ index, text }) => ({ index, delta: { content: text } }))
