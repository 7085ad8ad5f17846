import { request } from 'node:http'

export interface Reading {
  /** Used after a forced collection. */
  readonly heapBytes: number
  readonly timers: number
}

/** The environment that puts a gauge into the node that is started with it. */
export function gaugeEnv(socket: string): NodeJS.ProcessEnv {
  const preload = new URL('gauge.mjs', import.meta.url)
  return { NODE_OPTIONS: `--import=${preload.href}`, GAUGE_SOCKET: socket }
}

export async function readGauge(socketPath: string): Promise<Reading> {
  return (await ask({ socketPath, path: '/' })) as Reading
}

/** What `/readyz` tells of streams and sessions. */
export async function readFigures(adminPort: number): Promise<Readonly<Record<string, number>>> {
  const ready = await ask({ host: '127.0.0.1', port: adminPort, path: '/readyz' })
  return (ready as { figures: Readonly<Record<string, number>> }).figures
}

function ask(to: { readonly socketPath?: string; readonly host?: string; readonly port?: number; path: string }) {
  return new Promise<unknown>((done, fail) => {
    const asked = request({ ...to, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => (text += piece))
      answer.on('end', () => done(JSON.parse(text)))
    })
    asked.on('error', fail)
    asked.end()
  })
}
