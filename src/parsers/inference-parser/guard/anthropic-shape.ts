import { isObject } from '../../../json/rpc.ts'
import { listIn, type JsonObject } from '../dialect.ts'
import { misnamed, wrongObject, wrongText } from './shape.ts'

const TOP = new Set(['type', 'index', 'message', 'content', 'content_block', 'delta', 'stop_reason'])
const MESSAGE = new Set(['content', 'stop_reason'])
const BLOCK = new Set(['type', 'id', 'name', 'input'])
const DELTA = new Set(['type', 'partial_json', 'stop_reason'])

/** Of a block that the client runs. */
export const CALL_TYPE = 'tool_use'

/** Why a value of an Anthropic message could show some client a call that we do not see, if so. */
export function wrongInAnthropic(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'a list where an object should be'
  if (!isObject(value)) return undefined
  return misnamed(value, TOP) ?? wrongText(value['type'], 'type') ?? wrongEvent(value)
}

function wrongEvent(value: JsonObject): string | undefined {
  switch (value['type']) {
    case 'message_start':
      return wrongObject(value['message'], 'message', (message) => misnamed(message, MESSAGE) ?? wrongContent(message))
    case 'content_block_start':
      return wrongPlace(value) ?? needed(value['content_block'], 'content_block', wrongBlock)
    case 'content_block_delta':
      return wrongPlace(value) ?? needed(value['delta'], 'delta', wrongDelta)
    case 'content_block_stop':
      return wrongPlace(value)
    case 'message_delta':
      return wrongObject(value['delta'], 'delta', (delta) => misnamed(delta, DELTA))
    default:
      return wrongContent(value)
  }
}

function wrongContent({ content }: JsonObject): string | undefined {
  if (!Array.isArray(content)) return isObject(content) ? 'content is no list' : undefined
  for (const block of listIn(content)) {
    const wrong = isObject(block) ? wrongBlock(block) : undefined
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function wrongBlock(block: JsonObject): string | undefined {
  const wrong = misnamed(block, BLOCK) ?? wrongText(block['type'], 'type')
  if (wrong !== undefined || block['type'] !== CALL_TYPE) return wrong
  const { input } = block
  // Some vendors begin a call with no text instead of no members.
  const isInput = isObject(input) || input === undefined || input === null || input === ''
  return (
    wrongText(block['id'], 'id') ?? wrongText(block['name'], 'name') ?? (isInput ? undefined : 'input is no object')
  )
}

function wrongDelta(delta: JsonObject): string | undefined {
  return misnamed(delta, DELTA) ?? wrongText(delta['type'], 'type') ?? wrongText(delta['partial_json'], 'partial_json')
}

function wrongPlace({ index }: JsonObject): string | undefined {
  return Number.isSafeInteger(index) && (index as number) >= 0 ? undefined : 'index is no whole number'
}

function needed(value: unknown, name: string, check: (value: JsonObject) => string | undefined): string | undefined {
  return isObject(value) ? check(value) : `${name} is no object`
}
