import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { startProgram } from './process.ts'

export interface Tunnelled {
  readonly url: string
  readonly body: string
  readonly proxyPort: number
  /** File with the authority that the client is told to trust. */
  readonly authority: string
}

export interface Heard {
  /** 0: there was no answer from beyond the tunnel. */
  readonly status: number
  readonly text: string
  /** What the client said about it. */
  readonly said: string
}

/** A real client that opens a tunnel (CONNECT) also for plain HTTP. */
export interface TunnelClient {
  readonly name: string
  post(asked: Tunnelled): Promise<Heard>
}

/** Those that this machine has; Node and Python it has to have anyway. */
export function tunnelClients(): readonly TunnelClient[] {
  return [NODE, PYTHON, ...(isThere('curl') ? [CURL] : []), ...(hasRequests() ? [REQUESTS] : [])]
}

const NODE = scripted('undici, which tunnels by itself', process.execPath, ['--input-type=module', '-e'], {
  program: `
    import { fetch, ProxyAgent } from 'undici'
    const { URL_, BODY, PROXY } = process.env
    const headers = { 'content-type': 'application/json' }
    const got = await fetch(URL_, { method: 'POST', body: BODY, headers, dispatcher: new ProxyAgent(PROXY) })
    console.log(got.status + '\\n' + await got.text())`,
  trust: 'NODE_EXTRA_CA_CERTS',
})

const PYTHON = scripted('http.client of Python', 'python3', ['-c'], {
  program: `
import http.client, os, urllib.parse
url, proxy = urllib.parse.urlsplit(os.environ['URL_']), urllib.parse.urlsplit(os.environ['PROXY'])
kind = http.client.HTTPSConnection if url.scheme == 'https' else http.client.HTTPConnection
connection = kind(proxy.hostname, proxy.port)
connection.set_tunnel(url.hostname, url.port or (443 if url.scheme == 'https' else 80))
connection.request('POST', url.path or '/', os.environ['BODY'], {'content-type': 'application/json'})
got = connection.getresponse()
print(got.status, got.read().decode(), sep='\\n')`,
  trust: 'SSL_CERT_FILE',
})

/** Asks for tunnels to https only. */
const REQUESTS = scripted('requests of Python', 'python3', ['-c'], {
  program: `
import os, requests
got = requests.post(os.environ['URL_'], os.environ['BODY'], headers={'content-type': 'application/json'},
                    proxies={'http': os.environ['PROXY'], 'https': os.environ['PROXY']})
print(got.status_code, got.text, sep='\\n')`,
  trust: 'REQUESTS_CA_BUNDLE',
})

const CURL: TunnelClient = {
  name: 'curl --proxytunnel',
  post: ({ url, body, proxyPort, authority }) =>
    listen('curl', [
      ...['--silent', '--show-error', '--max-time', '20', '--write-out', '%{stderr}%{http_code}\n'],
      ...['--proxy', `http://127.0.0.1:${proxyPort}`, '--proxytunnel', '--cacert', authority],
      ...['--header', 'content-type: application/json', '--data', body, url],
    ]).then(({ stdout, stderr }) => ({
      status: Number(stderr.find((line) => /^\d{3}$/.test(line)) ?? 0),
      text: stdout.join('\n'),
      said: stderr.join('\n'),
    })),
}

interface Script {
  /** Prints the status and, after it, the body. */
  readonly program: string
  /** The variable by which it learns of an authority. */
  readonly trust: string
}

function scripted(name: string, file: string, args: readonly string[], { program, trust }: Script): TunnelClient {
  return {
    name,
    post: async ({ url, body, proxyPort, authority }) => {
      const own = { URL_: url, BODY: body, PROXY: `http://127.0.0.1:${proxyPort}`, [trust]: authority, NO_PROXY: '' }
      const { stdout, stderr } = await listen(file, [...args, program], own)
      const [status = '0', ...text] = stdout
      return { status: Number(status), text: text.join('\n'), said: stderr.join('\n') }
    },
  }
}

async function listen(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const program = startProgram(file, args, { ...process.env, no_proxy: '', ...env })
  await program.ended
  return program
}

function isThere(file: string): boolean {
  return answers(file, ['--version'])
}

function hasRequests(): boolean {
  return answers('python3', ['-c', 'import requests'])
}

function answers(file: string, args: readonly string[]): boolean {
  try {
    execFileSync(file, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Opens a tunnel by hand; `head` is what the proxy answered. */
export async function openTunnel(
  port: number,
  to: string,
): Promise<{ readonly socket: Socket; readonly head: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  return { socket, head: head.toString('latin1') }
}

/** Says something through it and gives what comes back until `enough`, or until the other side ends it. */
export function sayThrough(socket: Socket, bytes: string | Uint8Array, enough: RegExp): Promise<string> {
  return new Promise((done) => {
    let seen = ''
    socket.on('data', (piece: Buffer) => {
      seen += piece.toString('latin1')
      if (enough.test(seen)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => done(seen))
    socket.write(bytes)
  })
}
