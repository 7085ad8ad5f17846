import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { completion } from '../test/support/judge.ts'
import { a2aAnswer } from '../test/support/messages.ts'
import { serveAsks } from './children.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { chat } from '../test/support/completions/chat.ts'
import { JUDGE_PATH, REFLECTOR_MS, REFLECTOR_PATH, STREAM_PATH } from './far-side-paths.ts'

// Everything behind Envoy in one process that remembers nothing: tools, models, a judge that allows, a reflection service
// that approves, an agent.

const TOOL_RESULT = { content: [{ type: 'text', text: 'Ten documents were found.' }], isError: false }
const ANSWERS: Readonly<Record<string, Buffer>> = {
  '/mcp': Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: TOOL_RESULT })),
  '/v1/chat/completions': Buffer.from(completion('The report says that sales rose.')),
  [`${JUDGE_PATH}/v1/chat/completions`]: Buffer.from(
    completion(JSON.stringify({ verdict: 'allow', reason: 'it is what the user asked for' })),
  ),
}
const AGENT = Buffer.from(a2aAnswer('I am on it.'))

function answer(path: string, outgoing: ServerResponse): void {
  const body = ANSWERS[path] ?? AGENT
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  outgoing.end(body)
}

const APPROVED = Buffer.from(
  JSON.stringify({ decision: 'approve', issues: [], overall_avg_score: 1, execution_time_ms: REFLECTOR_MS }),
)

async function reflect(outgoing: ServerResponse): Promise<void> {
  await sleep(REFLECTOR_MS)
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': APPROVED.length })
  outgoing.end(APPROVED)
}

const EVENTS = chat.events({
  text: 'I look for it.',
  calls: [{ id: 'call_1', name: 'search_documents', args: { query: 'the northern branches' } }],
})

/** All at once: whatever the client waits for, it does not wait for the model. */
function stream(outgoing: ServerResponse): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  outgoing.end(EVENTS.join(''))
}

function serve(path: string, outgoing: ServerResponse): void {
  if (path === `${REFLECTOR_PATH}/reflect`) void reflect(outgoing)
  else if (path === STREAM_PATH) stream(outgoing)
  else answer(path, outgoing)
}

const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
  incoming.resume()
  incoming.on('end', () => serve(incoming.url ?? '', outgoing))
})

serveAsks(async (_asked: 'listen'): Promise<number> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
})
