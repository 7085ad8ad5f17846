import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Place } from './places.ts'

/** Passes connections on. The demo's servers and its user know only ports of their own machine. */
export async function forward(from: Place, to: Place): Promise<number> {
  const server = createServer((near) => {
    const far = connect(to.port, to.host)
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  server.listen(from.port, from.host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** What listens on a port of this container alone is reached from outside at `port`. */
export async function expose(port: number, own: number): Promise<void> {
  await forward({ host: '0.0.0.0', port }, { host: '127.0.0.1', port: own })
}
