import { Client, credentials } from '@grpc/grpc-js'
import { HEALTH_CHECK } from '../../../src/extproc/proto.ts'

export function openHealthClient(address: string): Client {
  return new Client(address, credentials.createInsecure())
}

/** What the health service says of a service, by default of the server as a whole. */
export async function checkHealth(client: Client, service = ''): Promise<object> {
  const { path, requestSerialize, responseDeserialize } = HEALTH_CHECK
  return new Promise((done, fail) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service }, (error, reply) =>
      error === null ? done(reply ?? {}) : fail(error),
    )
  })
}
