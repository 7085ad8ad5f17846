import { member } from '../json/member.ts'
import type { Failure, JsonClient } from '../client/json.ts'

/** One question to a model, in the two voices that every chat model knows. */
export interface Question {
  readonly system: string
  readonly user: string
}

export type ChatResult =
  | { readonly ok: true; readonly text: string; readonly usage: Usage }
  | { readonly ok: false; readonly failure: Failure | NoText }

/** Tokens, as far as the server says. */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** A well-formed answer without anything said in it, such as one without choices. */
export interface NoText {
  readonly kind: 'no_text'
}

export interface ChatModel {
  /** Never rejects. */
  ask(question: Question, signal: AbortSignal): Promise<ChatResult>
  close(): void
}

export interface ChatOptions {
  /** Without the trailing `/v1/chat/completions`. */
  readonly endpoint: string
  readonly model: string
  /** Empty: no Authorization header. */
  readonly bearer: string
  /** 0 leaves the field out, for servers that know it by another name. */
  readonly maxTokens: number
  /** Asks for one JSON object. False leaves the field out. */
  readonly jsonMode: boolean
  /** Further members of the body. They win over ours, except over the question itself. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Headers that mark the request as ours. */
  readonly headers: Readonly<Record<string, string>>
}

/** Members of the body that make the question; `extra` may not set them. */
export const RESERVED_MEMBERS = ['model', 'messages', 'stream'] as const

/** Where completions of an endpoint are asked for. */
export function completionsUrl(endpoint: string): URL {
  return new URL(`${endpoint.replace(/\/+$/, '')}/v1/chat/completions`)
}

/** Any OpenAI-compatible chat completions server. */
export function createChatModel(client: JsonClient, options: ChatOptions): ChatModel {
  const url = completionsUrl(options.endpoint)
  const headers = {
    ...options.headers,
    ...(options.bearer === '' ? {} : { authorization: `Bearer ${options.bearer}` }),
  }
  return {
    ask: async (question, signal) => {
      const answer = await client.post(url, headers, requestBody(options, question), signal)
      if (!answer.ok) return answer
      const text = saidText(answer.value)
      return text === undefined
        ? { ok: false, failure: { kind: 'no_text' } }
        : { ok: true, text, usage: usageIn(answer.value) }
    },
    close: () => client.close(),
  }
}

function requestBody(options: ChatOptions, question: Question): unknown {
  return {
    ...(options.maxTokens === 0 ? {} : { max_tokens: options.maxTokens }),
    ...(options.jsonMode ? { response_format: { type: 'json_object' } } : {}),
    ...options.extra,
    model: options.model,
    messages: [
      { role: 'system', content: question.system },
      { role: 'user', content: question.user },
    ],
    stream: false,
  }
}

/** What all choices say together: a reader of one of several would miss that they differ. */
function saidText(answer: unknown): string | undefined {
  const said = array(member(answer, 'choices')).map((choice) => member(member(choice, 'message'), 'content'))
  const texts = said.filter((content) => typeof content === 'string')
  return texts.length === 0 || texts.length < said.length ? undefined : texts.join('\n')
}

function usageIn(answer: unknown): Usage {
  const usage = member(answer, 'usage')
  const input = count(member(usage, 'prompt_tokens'))
  const output = count(member(usage, 'completion_tokens'))
  return {
    ...(input === undefined ? {} : { inputTokens: input }),
    ...(output === undefined ? {} : { outputTokens: output }),
  }
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
