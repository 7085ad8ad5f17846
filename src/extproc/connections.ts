import type { Http2Server, Http2Session, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Server } from '@grpc/grpc-js'
import { firstUri } from './alt-names.ts'
import { PROCESS } from './proto.ts'
import type { Call } from './stream.ts'

/** What is known of connections as such. */
export interface Connections {
  /** Looks at what comes to a server that is bound. False where grpc-js does not let us. */
  watch(server: Server): boolean
  readonly open: number
  /** Those that ended under an exchange. */
  readonly lost: number
  /** The first URI in the certificate of whoever opened a stream. */
  uriOf(call: Call): string | undefined
}

interface Peer {
  /** Read when it is first needed. */
  uri?: string | undefined
}

export function createConnections(): Connections {
  const peers = new Map<string, Peer>()
  let open = 0
  let lost = 0

  function opened(session: Http2Session): void {
    const peer: Peer = {}
    const name = nameOf(session)
    peers.set(name, peer)
    open += 1
    session.once('close', () => {
      open -= 1
      // Somebody else may have come from the same port by now.
      if (peers.get(name) === peer) peers.delete(name)
    })
  }

  function uriOf(call: Call): string | undefined {
    const peer = peers.get(call.getPeer())
    if (peer !== undefined && 'uri' in peer) return peer.uri
    const uri = firstUri(call.getAuthContext().sslPeerCertificate?.subjectaltname)
    if (peer !== undefined) peer.uri = uri
    return uri
  }

  return {
    watch: (server) => {
      const servers = http2Servers(server)
      const losses = lossCounter(() => (lost += 1))
      for (const each of servers) each.on('session', opened).on('stream', losses)
      return servers.length > 0
    },
    get open() {
      return open
    },
    get lost() {
      return lost
    },
    uriOf,
  }
}

/** Whoever ends one stream leaves its connection open for a moment at least; one that breaks takes its streams along. */
function lossCounter(count: () => void) {
  const counted = new WeakSet<Http2Session>()
  return (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const { session } = stream
    if (session === undefined || headers[':path'] !== PROCESS.path) return
    stream.once('close', () => {
      if (!session.destroyed || counted.has(session)) return
      counted.add(session)
      count()
    })
  }
}

/** As `getPeer` says it of a call. On a Unix socket all are alike, and none has a certificate. */
function nameOf({ socket }: Http2Session): string {
  return `${socket.remoteAddress}:${socket.remotePort}`
}

/** grpc-js has no public way to its HTTP/2 servers; a test fails when it no longer keeps them there. */
function http2Servers(server: Server): readonly Http2Server[] {
  const { http2Servers: kept } = server as unknown as { readonly http2Servers?: ReadonlyMap<Http2Server, unknown> }
  return [...(kept?.keys() ?? [])]
}
