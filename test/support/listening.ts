import { connect } from 'node:net'

/** True once somebody takes connections at a socket's path; for `until`. */
export function isListening(socket: string): Promise<true | undefined> {
  return new Promise((done) => {
    const probe = connect(socket)
    probe.once('connect', () => {
      probe.destroy()
      done(true)
    })
    probe.once('error', () => done(undefined))
  })
}
