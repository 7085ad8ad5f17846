import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { completion } from '../test/support/judge.ts'
import { a2aAnswer } from '../test/support/messages.ts'
import { serveAsks } from './children.ts'
import { JUDGE_PATH } from './far-side-paths.ts'

// Everything behind Envoy in one process that remembers nothing: tools, a model, a judge that allows, an agent.

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

const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
  incoming.resume()
  incoming.on('end', () => answer(incoming.url ?? '', outgoing))
})

serveAsks(async (_asked: 'listen'): Promise<number> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
})
