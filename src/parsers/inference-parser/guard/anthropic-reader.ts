import { isObject } from '../../../json/rpc.ts'
import { callOf } from '../anthropic-messages.ts'
import { indexOf, listIn, textOf, type JsonObject } from '../dialect.ts'
import { CALL_TYPE, isMessage, wrongInAnthropic } from './anthropic-shape.ts'
import {
  newPart,
  NOTHING_HEARD,
  type CallReader,
  type CallSoFar,
  type Heard,
  type Part,
  type Written,
} from './calls.ts'
import type { Change, Path } from './edit-json.ts'
import { shortText } from './shape.ts'
import { wordsForCall } from './words.ts'

/** A call in a stream of blocks. */
interface BlockCall extends CallSoFar {
  /** The fragments of its input. Where there are none, the input is what the block began with. */
  json: string
  readonly beganWithInput: boolean
  stopped: boolean
  readonly part: Part
}

/** What the client has got of a message. */
interface Sent {
  started: boolean
  blocks: number
  readonly open: Set<number>
  kept: number
  taken: number
  reasoned: boolean
  stopped: boolean
}

/** Finds and takes out the calls of Anthropic's Messages. What an event is says its `type`, whatever its name. */
export function createAnthropicReader(model: string): CallReader {
  const calls = new Map<number, BlockCall>()
  /** Of calls in whole messages. */
  const parts = new WeakMap<JsonObject, Part>()
  const sent: Sent = {
    started: false,
    blocks: 0,
    open: new Set(),
    kept: 0,
    taken: 0,
    reasoned: false,
    stopped: false,
  }
  let about: JsonObject | undefined
  let begun = 0
  /** Some clients read only blocks whose events have names, and number those alone. */
  let named: boolean | undefined

  function hearMessage(message: JsonObject): Heard {
    if (about !== undefined) return { unreadable: 'a message begins twice' }
    about = message
    const blocks = listIn(message['content'])
    begun = blocks.length
    const heard = blocks.filter(isCall).map((block) => {
      const part = newPart({ ...callOf(block), freeText: false })
      parts.set(block, part)
      return part
    })
    return { parts: heard, complete: heard }
  }

  function hearStart(index: number, block: JsonObject): Heard {
    // Clients find a block by its number, or by its place.
    const elsewhere = isCall(block) ? index !== begun : calls.has(index)
    if (elsewhere) return { unreadable: 'a block has the number of another one' }
    begun += 1
    if (!isCall(block)) return NOTHING_HEARD
    const call = newBlockCall(block)
    calls.set(index, call)
    return { parts: [call.part], complete: [] }
  }

  function hearDelta(index: number, delta: JsonObject): Heard {
    const call = calls.get(index)
    if (call === undefined) return NOTHING_HEARD
    if (call.stopped) return { unreadable: 'a call goes on after its end' }
    if (delta['type'] === 'input_json_delta') call.json += textOf(delta['partial_json'])
    if (call.beganWithInput && call.json !== '') return { unreadable: 'a call has two inputs' }
    return { parts: [call.part], complete: [] }
  }

  function hearStop(index: number): Heard {
    const call = calls.get(index)
    if (call === undefined || call.stopped) return NOTHING_HEARD
    call.stopped = true
    return { parts: [call.part], complete: [call.part] }
  }

  function close(): Heard {
    const open = [...calls.values()].filter(({ stopped }) => !stopped)
    for (const call of open) call.stopped = true
    return { parts: [], complete: open.map(({ part }) => part) }
  }

  function writeMessage(message: JsonObject, path: Path): Written {
    sent.started = true
    const blocks = listIn(message['content'])
    sent.blocks = blocks.length
    const changes = blocks.flatMap((block, position): readonly Change[] => {
      const part = isObject(block) ? parts.get(block) : undefined
      if (part === undefined || count(part, sent)) return []
      return [{ kind: 'set', path: [...path, 'content', position], value: textBlock(wordsFor(part)) }]
    })
    const all = [...changes, ...reasonChange(message, path)]
    return all.length === 0 ? undefined : { changes: all }
  }

  function reasonChange(holder: unknown, path: Path): readonly Change[] {
    const calling = isObject(holder) && holder['stop_reason'] === CALL_TYPE
    return calling && sent.kept === 0 && sent.taken > 0
      ? [{ kind: 'set', path: [...path, 'stop_reason'], value: 'end_turn' }]
      : []
  }

  function writeBlockEvent(index: number, type: unknown): Written {
    const call = calls.get(index)
    const begins = type === 'content_block_start'
    if (begins) sent.blocks += 1
    const stays = call === undefined || (begins ? count(call.part, sent) : call.part.fate === 'kept')
    if (stays) {
      if (begins) sent.open.add(index)
      else if (type === 'content_block_stop') sent.open.delete(index)
      return undefined
    }
    return { instead: begins && call.part.fate === 'taken' ? textEvents(index, wordsFor(call.part)) : [] }
  }

  return {
    hear(value, eventName) {
      const wrong = wrongInAnthropic(value, eventName)
      if (wrong !== undefined) return { unreadable: wrong }
      if (!isObject(value)) return NOTHING_HEARD
      const index = indexOf(value) ?? 0
      if (isOfBlock(value)) {
        named ??= eventName !== ''
        if (named !== (eventName !== '')) return { unreadable: 'blocks in events with and without names' }
      }
      switch (value['type']) {
        case 'message_start':
          return isObject(value['message']) ? hearMessage(value['message']) : NOTHING_HEARD
        case 'content_block_start':
          return isObject(value['content_block']) ? hearStart(index, value['content_block']) : NOTHING_HEARD
        case 'content_block_delta':
          return isObject(value['delta']) ? hearDelta(index, value['delta']) : NOTHING_HEARD
        case 'content_block_stop':
          return hearStop(index)
        case 'message_stop':
          return close()
        default:
          return isMessage(value) ? hearMessage(value) : NOTHING_HEARD
      }
    },
    close,
    write(value) {
      if (!isObject(value)) return undefined
      const { type } = value
      switch (type) {
        case 'message_start':
          return isObject(value['message']) ? writeMessage(value['message'], ['message']) : undefined
        case 'content_block_start':
        case 'content_block_delta':
        case 'content_block_stop':
          return writeBlockEvent(indexOf(value) ?? 0, type)
        case 'message_delta': {
          sent.reasoned = true
          const changes = reasonChange(value['delta'], ['delta'])
          return changes.length === 0 ? undefined : { changes }
        }
        case 'message_stop':
          sent.stopped = true
          return undefined
        default:
          return isMessage(value) ? writeMessage(value, []) : undefined
      }
    },
    ending: (words) => endingOf(sent, words, head(about, model)),
    whole: (words) => ({ ...head(about, model), content: [textBlock(words)], stop_reason: 'end_turn' }),
    eventName: (value) => (textOf(value['type']) === '' ? undefined : textOf(value['type'])),
  }
}

function isCall(block: unknown): block is JsonObject {
  return isObject(block) && block['type'] === CALL_TYPE
}

const isOfBlock = ({ type }: JsonObject): boolean => textOf(type).startsWith('content_block_')

function newBlockCall(block: JsonObject): BlockCall {
  const { id, tool, argumentsText } = callOf(block)
  const { input } = block
  const beganWithInput = isObject(input) && Object.keys(input).length > 0
  const call = {
    id,
    tool,
    json: '',
    get argumentsText() {
      return this.json === '' ? argumentsText : this.json
    },
    freeText: false,
    beganWithInput,
    stopped: false,
  }
  return Object.assign(call, { part: newPart(call) })
}

/** Whether the client gets it; counted either way. */
function count(part: Part, sent: Sent): boolean {
  const stays = part.fate === 'kept'
  if (stays) sent.kept += 1
  else sent.taken += 1
  return stays
}

const wordsFor = ({ call, no }: Part): string => (no === undefined ? '' : wordsForCall(call.tool, no))

const textBlock = (text: string): JsonObject => ({ type: 'text', text })

function textEvents(index: number, text: string): readonly JsonObject[] {
  return [
    { type: 'content_block_start', index, content_block: textBlock('') },
    { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index },
  ]
}

/** Ends a message of which so much was sent. Once it has its reason, nothing is said any more. */
function endingOf(sent: Sent, words: string, message: JsonObject): readonly JsonObject[] {
  if (sent.stopped) return []
  const start = sent.started ? [] : [{ type: 'message_start', message: { ...message, content: [], stop_reason: null } }]
  const stops = [...sent.open].map((index) => ({ type: 'content_block_stop', index }))
  const reason = { stop_reason: sent.kept > 0 ? CALL_TYPE : 'end_turn', stop_sequence: null }
  const said = sent.reasoned
    ? []
    : [...textEvents(sent.blocks, words), { type: 'message_delta', delta: reason, usage: { output_tokens: 0 } }]
  return [...start, ...stops, ...said, { type: 'message_stop' }]
}

/** What names a message, as far as it is known. */
function head(about: JsonObject | undefined, model: string): JsonObject {
  return {
    id: shortText(about?.['id']) ?? 'msg_plumbline',
    type: 'message',
    role: 'assistant',
    model: shortText(about?.['model']) ?? model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  }
}
