import type { Closable } from './closing.ts'
import { startUpstream } from './upstream.ts'
import type { Arrival } from './upstream.ts'

/** What the plugin asked. */
export interface Reflected {
  readonly arrival: Arrival
  readonly body: {
    readonly messages: readonly { readonly role: string; readonly content: string }[]
    readonly tool_specs: readonly unknown[]
    readonly tool_calls: readonly { readonly function: { readonly name: string; readonly arguments: string } }[]
    readonly session_id?: string
    readonly track: string
  }
  readonly tool: string
}

/** A verdict, a whole HTTP answer, or no answer until the test is over. */
export type Said = Readonly<Record<string, unknown>> | { readonly status: number } | 'silence'

export type Reflecting = (question: Reflected) => Said | Promise<Said>

export const approve: Reflecting = () => ({
  decision: 'approve',
  issues: [],
  overall_avg_score: 0.9,
  execution_time_ms: 1,
})

/** Why the scripted reflector rejects. A word of it shows whether a text came from here. */
export const UNGROUNDED = 'The value of transaction_id was never mentioned.'

export const reject =
  (score = 0.2): Reflecting =>
  () => ({
    decision: 'reject',
    issues: [
      {
        issue_type: 'semantic_parameter',
        metric_name: 'transaction_id.parameter_hallucination_check',
        explanation: UNGROUNDED,
        correction: null,
      },
    ],
    overall_avg_score: score,
    execution_time_ms: 2,
  })

/** Rejects calls of this tool alone. */
export const rejectTool =
  (tool: string): Reflecting =>
  (question) =>
    question.tool === tool ? reject()(question) : approve(question)

/** The reflection service's API, saying what a test wants. */
export interface StubReflector extends Closable {
  /** For `reflector_endpoint`. */
  readonly url: string
  readonly questions: readonly Reflected[]
  reflect(reflecting: Reflecting): void
  /** Settles when the next question has arrived. */
  nextQuestion(): Promise<Reflected>
}

export async function startReflector(): Promise<StubReflector> {
  const questions: Reflected[] = []
  let waiting: ((question: Reflected) => void)[] = []
  let reflecting: Reflecting = approve
  const server = await startUpstream('h1', async (arrival, outgoing) => {
    const body = JSON.parse(arrival.body.toString('utf8')) as Reflected['body']
    // What others send here, in our name, need not be a question.
    const { tool_calls: calls = [] } = body as Partial<Reflected['body']>
    const question = { arrival, body, tool: calls[0]?.function.name ?? '' }
    questions.push(question)
    for (const wake of waiting) wake(question)
    waiting = []
    const said = await reflecting(question)
    if (said === 'silence') return
    const status = 'status' in said ? Number(said.status) : 200
    outgoing.writeHead(status, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify(said))
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    questions,
    reflect: (next) => {
      reflecting = next
    },
    nextQuestion: () => new Promise((done) => waiting.push(done)),
    close: () => server.close(),
  }
}
