import { completion } from '../judge.ts'
import { startUpstream } from '../upstream.ts'
import type { Answerer, Upstream } from '../upstream.ts'

/** An OpenAI-compatible server, for the official client. */
export const startModelServer = (): Promise<Upstream> => startUpstream('h1', answerAsModel)

const answerAsModel: Answerer = ({ path, body }, outgoing) => {
  const asked = body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as { stream?: boolean })
  if (asked.stream !== true) {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(ANSWERS.get(path) ?? completion('Two messages.'))
    return
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const content of ['Two ', 'messages.']) {
    const choices = [{ index: 0, delta: { content } }]
    outgoing.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices })}\n\n`)
  }
  outgoing.end('data: [DONE]\n\n')
}

const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['/v1/models', JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model', created: 0, owned_by: 'us' }] })],
  [
    '/v1/embeddings',
    JSON.stringify({
      object: 'list',
      model: 'm',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }),
  ],
])
