import { isObject } from '../../json/rpc.ts'
import { callPieces, functionPieces, placeOf, type CallPieces } from './chat-calls.ts'
import { contentText } from './chat-content.ts'
import { objectsIn, textOf, type JsonObject } from './dialect.ts'

interface Call {
  id: string | undefined
  tool: string
  argumentsText: string
}

/** One of the alternatives in an answer, as far as it is heard. */
export interface Choice {
  text: string
  readonly calls: Call[]
  /** By the index that the server gave them. */
  readonly byIndex: Map<number, Call>
  readonly byId: Map<string, Call>
  legacy: Call | undefined
}

export function newChoice(): Choice {
  return { text: '', calls: [], byIndex: new Map(), byId: new Map(), legacy: undefined }
}

/** Adds a whole message. */
export function addMessage(choice: Choice, message: JsonObject): void {
  addText(choice, message)
  for (const call of objectsIn(message['tool_calls'])) grow(choice, newCall(choice), call)
  addLegacy(choice, message['function_call'])
}

/** Adds a fragment of one. */
export function addDelta(choice: Choice, delta: JsonObject): void {
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

/** The call that a fragment goes on with, or begins. */
function callOf(choice: Choice, fragment: JsonObject): Call {
  const { index, current, another } = placeOf(choice, fragment)
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
