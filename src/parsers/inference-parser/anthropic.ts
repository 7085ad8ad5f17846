import { fold } from '../../json/fold.ts'
import { isObject } from '../../json/rpc.ts'
import { createAnthropicCompletion } from './anthropic-completion.ts'
import { messagesOf, systemOf } from './anthropic-messages.ts'
import { createAnthropicReader } from './guard/anthropic-reader.ts'
import { listIn, objectsIn, standsAt, textOf, type Dialect, type InferenceRequest, type JsonObject } from './dialect.ts'

/** Anthropic's Messages, and what speaks like them: the version may stand in the body, and the model in the URL. */
export const anthropic: Dialect = {
  name: 'anthropic',
  claims: (sight) => standsAt(sight, '/messages', 'messages'),
  shows: (members) => members.has('messages') && (members.has('model') || members.has('anthropic_version')),
  fits: (body, headers) =>
    headers.has('anthropic-version') ||
    Object.keys(body).some((key) => TELLING.has(fold(key))) ||
    hasBlocksOfItsOwn(body),
  members: new Set(['model', 'messages', 'system', 'tools', 'stream', 'anthropic_version']),
  read: readAnthropic,
  openCompletion: createAnthropicCompletion,
  openCalls: createAnthropicReader,
}

/** Members that chat completions, which have `messages` and `model` too, do not have. */
const TELLING: ReadonlySet<string> = new Set(['system', 'anthropic_version'])

const BLOCKS: ReadonlySet<unknown> = new Set(['tool_use', 'tool_result'])

function hasBlocksOfItsOwn(body: JsonObject): boolean {
  const blocks = objectsIn(body['messages']).flatMap((message) => objectsIn(message['content']))
  return (
    objectsIn(body['tools']).some((tool) => Object.hasOwn(tool, 'input_schema')) ||
    blocks.some((block) => BLOCKS.has(block['type']))
  )
}

export function readAnthropic(body: JsonObject): InferenceRequest {
  const messages = [...systemOf(body['system']), ...objectsIn(body['messages']).flatMap(messagesOf)]
  return {
    model: textOf(body['model']),
    firstUserText: messages.find((message) => message.role === 'user' && message.text !== '')?.text ?? '',
    conversation: { messages, tools: listIn(body['tools']).map(inFunctionForm) },
    proposes: 'readable',
  }
}

/** Tools that the vendor defines have no schema, only a type with a version: they stay as they came. */
function inFunctionForm(tool: unknown): unknown {
  if (!isObject(tool) || !isObject(tool['input_schema'])) return tool
  const { name, description, input_schema: parameters } = tool
  return { type: 'function', function: { name, ...(description === undefined ? {} : { description }), parameters } }
}
