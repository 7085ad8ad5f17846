import { isObject } from '../../json/rpc.ts'
import { callPieces, functionPieces, type CallPieces } from './chat-calls.ts'
import { contentText } from './chat-content.ts'
import { objectsIn, textOf, type Completion, type JsonObject } from './dialect.ts'

interface Call {
  id: string | undefined
  tool: string
  argumentsText: string
}

interface Choice {
  text: string
  readonly calls: Call[]
  /** By the index that the server gave them. */
  readonly byIndex: Map<number, Call>
  readonly byId: Map<string, Call>
  legacy: Call | undefined
}

/** How many tools a record names, and how much of each name. */
const SHOWN_TOOLS = 32
const SHOWN_CHARACTERS = 128

/**
 * Puts the choices of a chat completion together. A whole message is read like a delta that holds everything, so there
 * is one reading of both. What a finish reason says does not count: calls are found by being there.
 */
export function createChatCompletion(): Completion {
  let choices = new Map<number, Choice>()
  let usage: Record<string, number> | undefined
  const tools = new Set<string>()
  const seen = { choices: 0, error: false }

  function choiceAt(index: number): Choice {
    const found = choices.get(index)
    if (found !== undefined) return found
    const made: Choice = { text: '', calls: [], byIndex: new Map(), byId: new Map(), legacy: undefined }
    choices.set(index, made)
    return made
  }

  return {
    take(value) {
      if (!isObject(value)) return
      if (isObject(value['error'])) seen.error = true
      if (isObject(value['usage'])) usage = figures(value['usage'])
      for (const [position, each] of objectsIn(value['choices']).entries()) {
        const choice = choiceAt(indexOf(each) ?? position)
        if (isObject(each['message'])) addMessage(choice, each['message'])
        if (isObject(each['delta'])) addDelta(choice, each['delta'])
      }
    },
    lessons() {
      const ordered = [...choices.entries()].sort(([a], [b]) => a - b).map(([, choice]) => choice)
      choices = new Map()
      const spent = usage
      usage = undefined
      seen.choices += ordered.length
      for (const { tool } of ordered.flatMap((choice) => choice.calls)) {
        if (tools.size < SHOWN_TOOLS) tools.add(tool.slice(0, SHOWN_CHARACTERS))
      }
      // One usage for all choices: it is told with the first, or alone where it came after they were told.
      const told = ordered.length === 0 && spent !== undefined ? [{ text: '', calls: [] }] : ordered
      return told.map(({ text, calls }, position) => ({
        kind: 'completion' as const,
        text,
        calls: calls.map((call) => ({ ...call })),
        usage: position === 0 ? spent : undefined,
      }))
    },
    get details() {
      return {
        choices: seen.choices,
        ...(tools.size > 0 ? { tools: [...tools] } : {}),
        ...(seen.error ? { error: true } : {}),
      }
    },
  }
}

function indexOf(value: JsonObject): number | undefined {
  const index = value['index']
  return Number.isSafeInteger(index) ? (index as number) : undefined
}

function figures(usage: JsonObject): Record<string, number> {
  return Object.fromEntries(
    Object.entries(usage).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
}

function addMessage(choice: Choice, message: JsonObject): void {
  addText(choice, message)
  for (const call of objectsIn(message['tool_calls'])) grow(choice, newCall(choice), call)
  addLegacy(choice, message['function_call'])
}

function addDelta(choice: Choice, delta: JsonObject): void {
  addText(choice, delta)
  for (const fragment of objectsIn(delta['tool_calls'])) {
    grow(choice, callOf(choice, fragment), fragment)
  }
  addLegacy(choice, delta['function_call'])
}

function addText(choice: Choice, message: JsonObject): void {
  choice.text += contentText(message['content'], '') + textOf(message['refusal'])
}

function addLegacy(choice: Choice, value: unknown): void {
  if (!isObject(value)) return
  choice.legacy ??= newCall(choice)
  addPieces(choice.legacy, functionPieces(value))
}

function newCall(choice: Choice): Call {
  const call: Call = { id: undefined, tool: '', argumentsText: '' }
  choice.calls.push(call)
  return call
}

/**
 * The call that a fragment goes on with. Servers differ: some leave the index out, some use one index for all calls
 * and only change the id.
 */
function callOf(choice: Choice, fragment: JsonObject): Call {
  const index = indexOf(fragment)
  const id = textOf(fragment['id'])
  const begins = id !== '' || callPieces(fragment).tool !== ''
  const current =
    index === undefined
      ? (choice.byId.get(id) ?? (begins ? undefined : choice.calls.at(-1)))
      : choice.byIndex.get(index)
  const another = current?.id !== undefined && id !== '' && id !== current.id
  const call = current === undefined || another ? newCall(choice) : current
  if (index !== undefined) choice.byIndex.set(index, call)
  return call
}

function grow(choice: Choice, call: Call, fragment: JsonObject): void {
  const id = textOf(fragment['id'])
  if (id !== '' && call.id === undefined) {
    call.id = id
    choice.byId.set(id, call)
  }
  addPieces(call, callPieces(fragment))
}

function addPieces(call: Call, pieces: CallPieces): void {
  // Some servers repeat the whole name with every fragment, others send it in pieces.
  if (pieces.tool !== call.tool) call.tool += pieces.tool
  call.argumentsText += pieces.argumentsText
}
