import { isObject } from '../../../json/rpc.ts'
import { contentText } from '../chat-content.ts'
import { indexOf, listIn, objectsIn, textOf, type JsonObject } from '../dialect.ts'
import { NOTHING_HEARD, type CallReader, type Heard, type Part, type Written } from './calls.ts'
import {
  addFragment,
  addLegacy,
  addWhole,
  finishBatch,
  newChatChoice,
  settleBatch,
  type ChatChoice,
  type ChatPart,
} from './chat-choice.ts'
import { wrongInChat } from './chat-shape.ts'
import type { Change, Path } from './edit-json.ts'
import { DONE } from './forms.ts'
import { shortText } from './shape.ts'
import { wordsForCall } from './words.ts'

/** Where a choice speaks: piece by piece, or in a whole message. */
const BOXES = ['delta', 'message'] as const
type BoxName = (typeof BOXES)[number]

/** Finds and takes out the calls of chat completions. `model`: what the request named, for answers that name none. */
export function createChatReader(model: string): CallReader {
  const choices = new Map<number, ChatChoice>()
  /** Of which call an object in a value is a fragment. */
  const parts = new WeakMap<JsonObject, ChatPart>()
  let about: JsonObject | undefined

  function choiceAt(each: JsonObject, position: number): ChatChoice {
    const index = indexOf(each) ?? position
    const choice = choices.get(index) ?? newChatChoice()
    choices.set(index, choice)
    return choice
  }

  function hearBox(choice: ChatChoice, box: JsonObject, name: BoxName): readonly Part[] {
    const add = name === 'delta' ? addFragment : addWhole
    const heard: Part[] = objectsIn(box['tool_calls']).map((call) => note(call, add(choice, call)))
    const legacy = box['function_call']
    return isObject(legacy) ? [...heard, note(legacy, addLegacy(choice, legacy))] : heard
  }

  function note(fragment: JsonObject, part: ChatPart): ChatPart {
    parts.set(fragment, part)
    return part
  }

  return {
    hear(value, eventName) {
      const wrong = wrongInChat(value, eventName)
      if (wrong !== undefined) return { unreadable: wrong }
      if (!isObject(value)) return NOTHING_HEARD
      const heard: Part[] = []
      const finished: ChatChoice[] = []
      for (const [position, each] of objectsIn(value['choices']).entries()) {
        about ??= value
        const choice = choiceAt(each, position)
        for (const name of BOXES) {
          const box = each[name]
          if (isObject(box)) heard.push(...hearBox(choice, box, name))
        }
        if (textOf(each['finish_reason']) !== '') finished.push(choice)
      }
      return finished.length === 0 ? { parts: heard, complete: [] } : finish(finished, heard)
    },
    close: () => finish([...choices.values()], []),
    write(value) {
      if (!isObject(value)) return undefined
      const edits = objectsIn(value['choices']).map((each, position) =>
        writeChoice(choiceAt(each, position), each, ['choices', position], parts),
      )
      return edits.every(({ changes }) => changes.length === 0) ? undefined : edited(value, edits)
    },
    ending(words) {
      if (choices.size === 0) choices.set(0, newChatChoice())
      const inOrder = [...choices].sort(([a], [b]) => a - b)
      return [...inOrder.flatMap(([index, choice]) => lastWords(choice, index, words, about, model)), DONE]
    },
    whole(words) {
      const message = { role: 'assistant', content: words, refusal: null }
      const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' }
      return { ...head(about, 'chat.completion', model), choices: [choice] }
    },
    eventName: () => undefined,
  }
}

function finish(finished: readonly ChatChoice[], heard: readonly Part[]): Heard {
  const complete: Part[] = []
  for (const choice of finished) {
    const batch = finishBatch(choice)
    if ('unreadable' in batch) return batch
    complete.push(...batch)
  }
  return { parts: heard, complete }
}

// ---- taking calls out ----

interface ChoiceEdit {
  readonly changes: readonly Change[]
  /** Nothing is left in it that a client could need. */
  readonly idle: boolean
}

function writeChoice(
  choice: ChatChoice,
  each: JsonObject,
  path: Path,
  parts: WeakMap<JsonObject, ChatPart>,
): ChoiceEdit {
  const boxes = BOXES.flatMap((name) => {
    const box = each[name]
    return isObject(box) ? [writeBox(choice, box, name, [...path, name], parts)] : []
  })
  const reason = textOf(each['finish_reason'])
  choice.finished ||= reason !== ''
  const emptied = choice.taken > 0 && choice.kept === 0 && CALLING.has(reason)
  const finish: Change[] = emptied ? [{ kind: 'set', path: [...path, 'finish_reason'], value: 'stop' }] : []
  return {
    changes: [...boxes.flatMap(({ changes }) => changes), ...finish],
    idle: boxes.every(({ idle }) => idle) && Object.entries(each).every(isIdle(IDLE_IN_CHOICE)),
  }
}

const CALLING: ReadonlySet<string> = new Set(['tool_calls', 'function_call'])

function writeBox(
  choice: ChatChoice,
  box: JsonObject,
  name: BoxName,
  path: Path,
  parts: WeakMap<JsonObject, ChatPart>,
): ChoiceEdit {
  const calls = writeCalls(choice, box, name, path, parts)
  const speaks = contentText(box['content'], '') !== ''
  const words = calls.words.join('\n\n')
  const before = speaks || choice.hasText
  const hadRole = choice.hasRole
  choice.hasRole ||= textOf(box['role']) !== ''
  choice.hasText ||= speaks || words !== ''
  const afterWords = choice.endsInWords && speaks
  choice.endsInWords = words !== '' || (choice.endsInWords && !speaks)
  const idle = !calls.left && Object.entries(box).every(isIdle(hadRole ? IDLE_IN_BOX_WITH_ROLE : IDLE_IN_BOX))
  if (words === '') {
    const apart = afterWords ? [apartFromWords(box['content'], [...path, 'content'])] : []
    return { changes: [...apart, ...calls.changes], idle }
  }
  const content = withWords(box['content'], before ? `\n\n${words}` : words, [...path, 'content'])
  const role: Change[] = choice.hasRole ? [] : [{ kind: 'set', path: [...path, 'role'], value: 'assistant' }]
  choice.hasRole = true
  return { changes: [...role, content, ...calls.changes], idle: false }
}

/** Text that goes on after our words begins a paragraph of its own. */
function apartFromWords(content: unknown, path: Path): Change {
  return { kind: 'set', path, value: `\n\n${contentText(content, '')}` }
}

function withWords(content: unknown, words: string, path: Path): Change {
  return Array.isArray(content)
    ? { kind: 'append', path, value: { type: 'text', text: words } }
    : { kind: 'set', path, value: textOf(content) + words }
}

function writeCalls(
  choice: ChatChoice,
  box: JsonObject,
  name: BoxName,
  path: Path,
  parts: WeakMap<JsonObject, ChatPart>,
): { readonly changes: readonly Change[]; readonly words: readonly string[]; readonly left: boolean } {
  const words: string[] = []
  let left = false
  const changes: Change[] = []
  /** Whether the client gets this fragment. */
  function stays(fragment: JsonObject): boolean {
    const part = parts.get(fragment)
    if (part === undefined) return true
    settleBatch(choice, part.batch)
    if (part.outcome === 'taken' && !part.replaced && part.no !== undefined) {
      words.push(wordsForCall(part.call.tool, part.no))
    }
    part.replaced = true
    left ||= part.outcome === 'kept'
    return part.outcome === 'kept'
  }
  const calls = listIn(box['tool_calls'])
  const dropped: Change[] = []
  for (const [position, call] of calls.entries()) {
    if (!isObject(call)) continue
    const place = [...path, 'tool_calls', position]
    const newIndex = stays(call) ? parts.get(call)?.call.newIndex : 'gone'
    if (newIndex === 'gone') dropped.push({ kind: 'drop', path: place })
    else if (name === 'delta' && newIndex !== indexOf(call)) {
      changes.push({ kind: 'set', path: [...place, 'index'], value: newIndex })
    }
  }
  // An empty list of calls is one for some agents, which then ask again for ever.
  if (dropped.length === calls.length && calls.length > 0) changes.push({ kind: 'drop', path: [...path, 'tool_calls'] })
  else changes.push(...dropped)
  const legacy = box['function_call']
  if (isObject(legacy) && !stays(legacy)) changes.push({ kind: 'drop', path: [...path, 'function_call'] })
  return { changes, words, left }
}

// ---- events that have become empty ----

const IDLE_AT_TOP: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'system_fingerprint',
  'service_tier',
  'provider',
  'obfuscation',
  'choices',
])
const IDLE_IN_CHOICE: ReadonlySet<string> = new Set(['index', ...BOXES])
const IDLE_IN_BOX: ReadonlySet<string> = new Set(['tool_calls', 'function_call'])
const IDLE_IN_BOX_WITH_ROLE: ReadonlySet<string> = new Set([...IDLE_IN_BOX, 'role'])

const isIdle =
  (names: ReadonlySet<string>) =>
  ([key, value]: [string, unknown]): boolean =>
    names.has(key) || value === null || value === ''

function edited(value: JsonObject, edits: readonly ChoiceEdit[]): Written {
  const changes = edits.flatMap((edit) => edit.changes)
  const idle = edits.every((edit) => edit.idle) && Object.entries(value).every(isIdle(IDLE_AT_TOP))
  return idle ? { instead: [] } : { changes }
}

// ---- an end in words ----

function lastWords(
  choice: ChatChoice,
  index: number,
  words: string,
  about: JsonObject | undefined,
  model: string,
): readonly JsonObject[] {
  if (choice.finished) return []
  const chunk = (delta: JsonObject, finish_reason: string | null): JsonObject => ({
    ...head(about, 'chat.completion.chunk', model),
    choices: [{ index, delta, logprobs: null, finish_reason }],
  })
  const role = choice.hasRole ? {} : { role: 'assistant' }
  const content = choice.hasText ? `\n\n${words}` : words
  return [chunk({ ...role, content }, null), chunk({}, choice.kept > 0 ? 'tool_calls' : 'stop')]
}

/** What names an answer, as far as it is known. */
function head(about: JsonObject | undefined, object: string, model: string): JsonObject {
  const { id, created, model: named, system_fingerprint: fingerprint } = about ?? {}
  return {
    id: shortText(id) ?? 'chatcmpl-plumbline',
    object,
    created: Number.isSafeInteger(created) ? created : 0,
    model: shortText(named) ?? model,
    ...(shortText(fingerprint) === undefined ? {} : { system_fingerprint: fingerprint }),
  }
}
