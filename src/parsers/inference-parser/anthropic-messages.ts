import type { ChatMessage, ProposedCall } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import { argumentsText } from './chat-calls.ts'
import { contentText } from './chat-content.ts'
import { objectsIn, textOf, type JsonObject } from './dialect.ts'

/** The system prompt stands beside the messages. It comes first. */
export function systemOf(system: unknown): readonly ChatMessage[] {
  const text = contentText(system, '\n')
  return text === '' ? [] : [{ role: 'system', text }]
}

/**
 * One message in words that no vendor owns. Results of tools travel among the blocks of a message, in the user's for the
 * client's tools and in the model's for the provider's: each becomes a message of its own, in its place.
 */
export function messagesOf(message: JsonObject): readonly ChatMessage[] {
  const role = textOf(message['role'])
  if (!Array.isArray(message['content'])) return [{ role, text: textOf(message['content']) }]
  const messages: ChatMessage[] = []
  let run = newRun()
  const endRun = () => {
    if (run.texts.length > 0 || run.calls.length > 0) messages.push(said(role, run))
    run = newRun()
  }
  for (const block of objectsIn(message['content'])) {
    if (isResult(block)) {
      endRun()
      messages.push(resultOf(block))
    } else addBlock(run, block)
  }
  endRun()
  return messages.length > 0 ? messages : [{ role, text: '' }]
}

/** Blocks between two results. */
interface Run {
  readonly texts: string[]
  readonly calls: ProposedCall[]
}

const newRun = (): Run => ({ texts: [], calls: [] })

/** `tool_use`, and what the provider runs itself: `server_tool_use`, `mcp_tool_use`. */
const CALL = /^(\w+_)?tool_use$/

function addBlock(run: Run, block: JsonObject): void {
  const type = textOf(block['type'])
  if (CALL.test(type)) run.calls.push(callOf(block))
  else if (type === 'text' && textOf(block['text']) !== '') run.texts.push(textOf(block['text']))
}

export function callOf(block: JsonObject): ProposedCall {
  const id = textOf(block['id'])
  return { id: id === '' ? undefined : id, tool: textOf(block['name']), argumentsText: argumentsText(block['input']) }
}

function said(role: string, { texts, calls }: Run): ChatMessage {
  return { role, text: texts.join('\n'), ...(calls.length > 0 ? { toolCalls: calls } : {}) }
}

const isResult = (block: JsonObject): boolean => /^(\w+_)?tool_result$/.test(textOf(block['type']))

function resultOf(block: JsonObject): ChatMessage {
  const id = textOf(block['tool_use_id'])
  return { role: 'tool', text: wordsOf(block['content']).join('\n'), ...(id === '' ? {} : { toolCallId: id }) }
}

/** Members of a result's blocks that hold what the model reads: of texts, search results, pages and commands' output. */
const WORDS = ['title', 'url', 'source', 'text', 'stdout', 'stderr']

/** Images and files in base64 have no words; a document's may lie one or two levels down. */
function wordsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  if (Array.isArray(content)) return (content as readonly unknown[]).flatMap(wordsOf)
  if (!isObject(content)) return []
  const plain = content['type'] === 'text' ? [...WORDS, 'data'] : WORDS
  const own = plain.map((key) => textOf(content[key])).filter((text) => text !== '')
  const { source, content: inner } = content
  return [...own, ...(isObject(source) ? wordsOf(source) : []), ...wordsOf(inner)]
}
