import { isObject } from '../../../json/rpc.ts'
import { listIn, type JsonObject } from '../dialect.ts'
import { isAbsent, misnamed, misplaced, unknownForm, wrongObject, wrongScalar, wrongText } from './shape.ts'

const TOP = new Set(['type', 'index', 'message', 'content', 'content_block', 'delta', 'stop_reason'])
const MESSAGE = new Set(['content', 'stop_reason'])
const BLOCK = new Set(['type', 'id', 'name', 'input'])
const DELTA = new Set(['type', 'partial_json', 'stop_reason'])

/** Of a block that the client runs. */
export const CALL_TYPE = 'tool_use'

/** Where the values of each type hold what the model says. A message may lack its type. */
const HOLDS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['message_start', new Set(['message'])],
  ['content_block_start', new Set(['content_block'])],
  ['content_block_delta', new Set(['delta'])],
  ['content_block_stop', new Set<string>()],
  ['message_delta', new Set(['delta'])],
  ['message_stop', new Set<string>()],
])
const CONTENT: ReadonlySet<string> = new Set(['content'])

/** Some vendors leave the type of a whole message out. */
export function isMessage({ type, content }: JsonObject): boolean {
  return (type === 'message' || isAbsent(type)) && Array.isArray(content)
}

/** Why a value of an Anthropic message could show some client a call that we do not see, if so. */
export function wrongInAnthropic(value: unknown, eventName: string): string | undefined {
  if (!isObject(value)) return wrongScalar(value)
  return (
    misnamed(value, TOP) ??
    wrongText(value['type'], 'type') ??
    wrongName(value, eventName) ??
    wrongPlaces(value) ??
    wrongEvent(value)
  )
}

/** Clients go by either, and some take the name for a type that is not there. */
function wrongName({ type }: JsonObject, eventName: string): string | undefined {
  const fits = eventName === '' || eventName === type || (isAbsent(type) && eventName === 'error')
  return fits ? undefined : 'an event whose name is not its type'
}

function wrongPlaces(value: JsonObject): string | undefined {
  const own = HOLDS.get(value['type']) ?? (isMessage(value) ? CONTENT : undefined)
  return own === undefined ? unknownForm(value) : misplaced(value, own)
}

function wrongEvent(value: JsonObject): string | undefined {
  switch (value['type']) {
    case 'message_start':
      return wrongObject(
        value['message'],
        'message',
        (message) => misnamed(message, MESSAGE) ?? misplaced(message, CONTENT) ?? wrongContent(message),
      )
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
