import { ServerCredentials } from '@grpc/grpc-js'
import type { Server } from '@grpc/grpc-js'
import { clearSocketPath, socketPath, withPrivateUmask } from './socket.ts'

/** Binds a server to `host:port` or `unix:/path`. Gives the address as bound. */
export async function listen(server: Server, address: string, tls?: ServerCredentials): Promise<string> {
  const path = socketPath(address)
  if (path !== undefined) {
    await clearSocketPath(path)
    await withPrivateUmask(() => bindTo(server, address, ServerCredentials.createInsecure()))
    return address
  }
  const port = await bindTo(server, address, tls ?? ServerCredentials.createInsecure())
  return address.replace(/:\d+$/, `:${port}`)
}

async function bindTo(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (failure, port) => {
      if (failure === null) resolve(port)
      else reject(failure)
    })
  })
}

export async function closeGently(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.tryShutdown(() => resolve())
  })
}
