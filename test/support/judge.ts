import type { ServerResponse } from 'node:http'
import type { Closable } from './closing.ts'
import { startUpstream } from './upstream.ts'
import type { Arrival } from './upstream.ts'

export interface Question {
  readonly arrival: Arrival
  /** The whole conversation that the judge was shown, as one text. */
  readonly text: string
}

/** What the stub does with a question. */
export type Reply =
  | { readonly verdict: string; readonly reason?: string }
  /** The answer's content, word for word. */
  | { readonly content: string }
  /** A whole HTTP answer. */
  | { readonly status: number; readonly body: string }
  /** Closes the connection without an answer. */
  | 'hang-up'
  /** Keeps the question until the test is over. */
  | 'silence'

export type Judging = (question: Question) => Reply | Promise<Reply>

/** An OpenAI-compatible endpoint that says what a test wants, and remembers what it was asked. */
export interface StubJudge extends Closable {
  /** For `judge_endpoint`. */
  readonly url: string
  readonly port: number
  readonly questions: readonly Question[]
  judge(judging: Judging): void
  /** Settles when the next question has arrived. */
  nextQuestion(): Promise<Question>
}

export const allow: Judging = () => ({ verdict: 'allow', reason: 'it is what the user asked for' })
export const deny: Judging = () => ({ verdict: 'deny', reason: 'nobody asked for that' })

export async function startJudge(first: Judging = allow): Promise<StubJudge> {
  const questions: Question[] = []
  let waiting: ((question: Question) => void)[] = []
  let judging = first
  const server = await startUpstream('h1', async (arrival, outgoing) => {
    const question = { arrival, text: conversation(arrival) }
    questions.push(question)
    for (const wake of waiting) wake(question)
    waiting = []
    reply(await judging(question), outgoing)
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    questions,
    judge: (next) => {
      judging = next
    },
    nextQuestion: () => new Promise((done) => waiting.push(done)),
    close: () => server.close(),
  }
}

function conversation(arrival: Arrival): string {
  const asked = JSON.parse(arrival.body.toString('utf8')) as { messages: readonly { content: string }[] }
  return asked.messages.map((message) => message.content).join('\n')
}

function reply(said: Reply, outgoing: ServerResponse): void {
  if (said === 'silence') return
  if (said === 'hang-up') {
    outgoing.destroy()
    return
  }
  const whole = 'status' in said ? said : { status: 200, body: completion(contentOf(said)) }
  outgoing.writeHead(whole.status, { 'content-type': 'application/json' })
  outgoing.end(whole.body)
}

function contentOf(said: Exclude<Reply, string | { status: number }>): string {
  return 'content' in said ? said.content : JSON.stringify(said)
}

/** A chat completion whose one choice says `content`. */
export function completion(content: string): string {
  return JSON.stringify({
    id: 'chatcmpl-stub',
    object: 'chat.completion',
    created: 0,
    model: 'stub',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
}
