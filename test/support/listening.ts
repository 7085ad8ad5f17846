import { connect } from 'node:net'

/** True once somebody takes connections at a socket's path, or a port of this machine; for `until`. */
export function isListening(where: string | number): Promise<true | undefined> {
  return new Promise((done) => {
    const probe = typeof where === 'string' ? connect(where) : connect(where, '127.0.0.1')
    probe.once('connect', () => {
      probe.destroy()
      done(true)
    })
    probe.once('error', () => done(undefined))
  })
}
