import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'

/** One request that harms nobody, and says what it is. */
export interface Canary {
  readonly method: 'GET' | 'POST'
  /** Envoy's listener. */
  readonly to: URL
  /** As a proxy wants it: a whole URL; otherwise a path. */
  readonly target: string
  readonly host: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type CanaryAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly requestId: string | undefined }
  /** `cut`: the connection ended while the body was sent. */
  | { readonly kind: 'none'; readonly why: string; readonly cut: boolean }

const LIMIT_MS = 10_000
/** Of an answer; the rest says nothing more. */
const MAX_TEXT = 64 * 1024

export async function sendCanary({ method, to, target, host, headers, body }: Canary): Promise<CanaryAnswer> {
  return new Promise((resolve) => {
    const ask = to.protocol === 'https:' ? requestHttps : requestHttp
    const sent = ask({
      host: to.hostname.replace(/^\[|\]$/g, ''),
      port: to.port === '' ? undefined : to.port,
      method,
      path: target,
      agent: false,
      headers: {
        host,
        'user-agent': 'plumbline-doctor',
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    })
    const timer = setTimeout(() => sent.destroy(new Error(`no answer in ${LIMIT_MS / 1000} s`)), LIMIT_MS)
    const done = (answer: CanaryAnswer) => {
      clearTimeout(timer)
      resolve(answer)
      sent.destroy()
    }
    sent.on('response', (incoming) => collect(incoming, done))
    // After the answer has begun this changes nothing: a promise resolves once, and collect comes first.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const cut = error.code === 'EPIPE' || error.code === 'ECONNRESET'
      // The answer may be on its way although the body was not taken to its end.
      setTimeout(() => done({ kind: 'none', why: error.message, cut }), cut ? 100 : 0)
    })
    sent.end(body)
  })
}

function collect(incoming: IncomingMessage, done: (answer: CanaryAnswer) => void): void {
  let text = ''
  const id = incoming.headers['x-request-id']
  const finish = () =>
    done({
      kind: 'answer',
      status: incoming.statusCode ?? 0,
      text,
      requestId: typeof id === 'string' ? id : undefined,
    })
  incoming.setEncoding('utf8')
  incoming.on('data', (piece: string) => {
    text += piece
    if (text.length > MAX_TEXT) finish()
  })
  incoming.on('end', finish)
  incoming.on('error', finish)
}
