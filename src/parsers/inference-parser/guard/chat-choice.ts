import { isObject } from '../../../json/rpc.ts'
import { readJsonOnce } from '../../../json/strict.ts'
import { callPieces, functionPieces, placeOf, type CallPieces } from '../chat-calls.ts'
import { textOf, type JsonObject } from '../dialect.ts'
import { newPart, type CallSoFar, type Part } from './calls.ts'

/** A call of a chat completion, as far as it is heard. */
export interface ChatCall extends CallSoFar {
  id: string | undefined
  tool: string
  argumentsText: string
  kind: 'function' | 'custom' | undefined
  readonly freeText: boolean
  /** As the server gave it. */
  readonly index: number | undefined
  /** As the client gets it, once that is known. */
  newIndex: number | undefined
  /** The one that grows, or grew last. */
  part: ChatPart | undefined
}

export interface ChatPart extends Part {
  readonly call: ChatCall
  /** The stretch before this one. Without it, the client cannot have this one. */
  readonly before: ChatPart | undefined
  /** What is complete together, in one choice. */
  readonly batch: ChatBatch
  /** What becomes of it, when its batch is settled. `silent`: it goes without words of its own. */
  outcome: 'kept' | 'taken' | 'silent' | undefined
  /** The words that take its place went out. */
  replaced: boolean
}

interface ChatBatch {
  readonly parts: ChatPart[]
  settled: boolean
}

/** One of the alternatives in an answer. */
export interface ChatChoice {
  readonly calls: ChatCall[]
  readonly byIndex: Map<number, ChatCall>
  readonly byId: Map<string, ChatCall>
  legacy: ChatCall | undefined
  /** Grows until the choice says that it is finished. */
  batch: ChatBatch | undefined
  /** Servers that leave indices out or use one twice: clients tell such calls apart in different ways. */
  loose: boolean
  /** Fragments of one call stand between those of another. */
  interleaved: boolean
  /** A call changed its kind or its name: some clients take the first, some the last, some join them. */
  mixed: boolean
  // What the client has got.
  hasRole: boolean
  hasText: boolean
  /** The last text that it got is ours. */
  endsInWords: boolean
  kept: number
  taken: number
  finished: boolean
}

export function newChatChoice(): ChatChoice {
  return {
    calls: [],
    byIndex: new Map(),
    byId: new Map(),
    legacy: undefined,
    batch: undefined,
    loose: false,
    interleaved: false,
    mixed: false,
    hasRole: false,
    hasText: false,
    endsInWords: false,
    kept: 0,
    taken: 0,
    finished: false,
  }
}

/** A fragment of a stream. */
export function addFragment(choice: ChatChoice, fragment: JsonObject): ChatPart {
  const call = callOf(choice, fragment)
  const part = partOf(choice, call)
  addCall(choice, call, fragment)
  return part
}

/** A call in a whole message: nothing is added to it. */
export function addWhole(choice: ChatChoice, call: JsonObject): ChatPart {
  const added = newCall(choice, call, undefined)
  addCall(choice, added, call)
  return partOf(choice, added)
}

export function addLegacy(choice: ChatChoice, call: JsonObject): ChatPart {
  choice.legacy ??= newCall(choice, {}, undefined)
  const part = partOf(choice, choice.legacy)
  addTo(choice, choice.legacy, functionPieces(call))
  return part
}

function callOf(choice: ChatChoice, fragment: JsonObject): ChatCall {
  const { index, id, current, another } = placeOf(choice, fragment)
  choice.loose ||= index === undefined || another || (current === undefined && choice.byId.has(id))
  if (current === undefined || another) {
    const call = newCall(choice, fragment, index)
    if (index !== undefined) choice.byIndex.set(index, call)
    return call
  }
  choice.interleaved ||= current !== choice.calls.at(-1)
  if (current.id === undefined && id !== '') {
    current.id = id
    choice.byId.set(id, current)
  }
  return current
}

function newCall(choice: ChatChoice, named: JsonObject, index: number | undefined): ChatCall {
  const id = textOf(named['id']) === '' ? undefined : textOf(named['id'])
  const call: ChatCall = {
    id,
    tool: '',
    argumentsText: '',
    kind: undefined,
    get freeText() {
      return this.kind === 'custom'
    },
    index,
    newIndex: undefined,
    part: undefined,
  }
  call.part = newChatPart(choice, call, undefined)
  choice.calls.push(call)
  if (id !== undefined) choice.byId.set(id, call)
  return call
}

/** The part that grows now. A call that goes on after it was complete gets another one. */
function partOf(choice: ChatChoice, call: ChatCall): ChatPart {
  if (call.part === undefined || call.part.batch !== choice.batch) call.part = newChatPart(choice, call, call.part)
  return call.part
}

function newChatPart(choice: ChatChoice, call: ChatCall, before: ChatPart | undefined): ChatPart {
  const batch = (choice.batch ??= { parts: [], settled: false })
  const part = { ...newPart(call), call, before, batch, outcome: undefined, replaced: false }
  batch.parts.push(part)
  return part
}

function addCall(choice: ChatChoice, call: ChatCall, fragment: JsonObject): void {
  const kind = isObject(fragment['custom']) ? 'custom' : isObject(fragment['function']) ? 'function' : call.kind
  choice.mixed ||= call.kind !== undefined && kind !== call.kind
  call.kind = kind
  addTo(choice, call, callPieces(fragment))
}

function addTo(choice: ChatChoice, call: ChatCall, pieces: CallPieces): void {
  // Some servers repeat the whole name with every fragment.
  if (call.tool === '') call.tool = pieces.tool
  else choice.mixed ||= pieces.tool !== '' && pieces.tool !== call.tool
  call.argumentsText += pieces.argumentsText
}

/** The choice says that its calls are complete. */
export function finishBatch(choice: ChatChoice): readonly ChatPart[] | { readonly unreadable: string } {
  const parts = choice.batch?.parts ?? []
  choice.batch = undefined
  const ambiguous = choice.mixed || (choice.loose && isAmbiguous(choice))
  return ambiguous ? { unreadable: 'fragments that clients join in different ways' } : parts
}

const ENCODER = new TextEncoder()

/** Objects side by side are no value together: whoever joins what belongs to several calls cannot run it. */
function isAmbiguous({ calls, interleaved }: ChatChoice): boolean {
  return calls.length > 1 && (interleaved || !calls.every(({ argumentsText }) => isWholeObject(argumentsText)))
}

function isWholeObject(text: string): boolean {
  const json = readJsonOnce(ENCODER.encode(text))
  return json.ok && isObject(json.value)
}

/**
 * Says what becomes of each call in a batch, all of which is decided, and under which index the client gets it: its own,
 * as long as nothing was taken out; else one after the other.
 */
export function settleBatch(choice: ChatChoice, batch: ChatBatch): void {
  if (batch.settled) return
  batch.settled = true
  for (const part of batch.parts) part.outcome = outcomeOf(part)
  const begun = batch.parts.filter(({ before }) => before === undefined)
  const kept = begun.filter(({ outcome }) => outcome === 'kept').sort((a, b) => order(a) - order(b))
  const gaps = choice.taken > 0 || kept.length < begun.length
  for (const { call } of kept) {
    call.newIndex = gaps && call.index !== undefined ? choice.kept : call.index
    choice.kept += 1
  }
  choice.taken += begun.length - kept.length
}

/** Without the stretch before it, the client cannot have this one. */
function outcomeOf({ before, fate }: ChatPart): 'kept' | 'taken' | 'silent' {
  if (before !== undefined && before.outcome !== 'kept') return 'silent'
  return fate === 'kept' || fate === 'taken' ? fate : 'silent'
}

const order = ({ call }: ChatPart): number => call.index ?? Number.MAX_SAFE_INTEGER
