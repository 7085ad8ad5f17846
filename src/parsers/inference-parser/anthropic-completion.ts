import type { Lesson } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import type { Hearing } from '../kit/lesson-reader.ts'
import { callOf } from './anthropic-messages.ts'
import { indexOf, objectsIn, textOf, type JsonObject } from './dialect.ts'
import { figures, newToolNames } from './heard.ts'

/** One block of an answer, as far as it is heard. */
interface Block {
  readonly begun: JsonObject
  text: string
  /** The fragments of a call's input. Where there are none, the input is what the block began with. */
  json: string
}

/**
 * Puts an answer of Anthropic's Messages together, whole or in events. What an event is says its `type`: its name is not
 * asked, nor is the stop reason.
 */
export function createAnthropicCompletion(): Hearing {
  let blocks = new Map<number, Block>()
  let usage: Readonly<Record<string, number>> | undefined
  let begun = false
  let told = 0
  let failed = false
  const tools = newToolNames()

  function begin(message: JsonObject): void {
    begun = true
    addUsage(message['usage'])
    for (const [position, block] of objectsIn(message['content']).entries()) blocks.set(position, newBlock(block))
  }

  function addUsage(value: unknown): void {
    if (isObject(value)) usage = { ...usage, ...figures(value) }
  }

  function tell(): readonly Lesson[] {
    if (!begun) return []
    const inOrder = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block)
    const calls = inOrder.filter(({ begun: { type } }) => type === 'tool_use').map(calledBy)
    for (const { tool } of calls) tools.add(tool)
    const lesson = { kind: 'completion', text: inOrder.map(({ text }) => text).join(''), calls, usage } as const
    blocks = new Map()
    usage = undefined
    begun = false
    told += 1
    return [lesson]
  }

  function hearEvent(event: JsonObject): readonly Lesson[] {
    switch (event['type']) {
      case 'message':
        begin(event)
        return []
      case 'message_start':
        begin(isObject(event['message']) ? event['message'] : {})
        return []
      case 'content_block_start':
        begun = true
        if (isObject(event['content_block'])) blocks.set(placeOf(event), newBlock(event['content_block']))
        return []
      case 'content_block_delta':
        grow(blocks.get(placeOf(event)), event['delta'])
        return []
      case 'message_delta':
        addUsage(event['usage'])
        return []
      case 'message_stop':
        // The agent acts on what it has heard when it sees this, not when the connection ends.
        return tell()
      case 'error':
        failed = true
        return []
      default:
        return []
    }
  }

  return {
    hear: (value) => (isObject(value) ? hearEvent(value) : []),
    rest: tell,
    get details() {
      return { messages: told, ...tools.details, ...(failed ? { error: true } : {}) }
    },
  }
}

const placeOf = (event: JsonObject): number => indexOf(event) ?? 0

function newBlock(begun: JsonObject): Block {
  return { begun, text: begun['type'] === 'text' ? textOf(begun['text']) : '', json: '' }
}

function grow(block: Block | undefined, delta: unknown): void {
  if (block === undefined || !isObject(delta)) return
  if (delta['type'] === 'text_delta') block.text += textOf(delta['text'])
  if (delta['type'] === 'input_json_delta') block.json += textOf(delta['partial_json'])
}

function calledBy({ begun, json }: Block) {
  const call = callOf(begun)
  return json === '' ? call : { ...call, argumentsText: json }
}
