import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

// Runs in a network of its own, where the rules are in force. Reads what to try, as JSON; prints what came of each.
// A socket is of the user who opens it: so this process is each of them in turn.

const { listeners, attempts } = JSON.parse(process.argv[2] ?? '{}')

const as = async (user, act) => {
  process.seteuid(user)
  try {
    return await act()
  } finally {
    process.seteuid(0)
  }
}

/** What answers says its port, so that one sees who did. */
const listen = ({ user, host, port }) =>
  as(user, () => once(createServer((socket) => socket.end(String(port))).listen(port, host), 'listening'))

/** Long enough for an answer within one machine. */
const PATIENCE_MS = 250

const tcp = ({ host, port }) =>
  new Promise((done) => {
    const socket = connect({ host, port })
    const end = (word) => {
      socket.destroy()
      done(word)
    }
    socket.on('data', (bytes) => end(String(bytes)))
    socket.on('error', () => end('refused'))
    setTimeout(end, PATIENCE_MS, 'left')
  })

const udp = ({ host, port }) =>
  new Promise((done) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    const end = (word) => {
      socket.close()
      done(word)
    }
    socket.on('error', () => undefined)
    socket.send('question', port, host, (error) => end(error ? 'refused' : 'left'))
  })

for (const listener of listeners) await listen(listener)
const found = []
for (const attempt of attempts) found.push(await as(attempt.user, () => (attempt.by === 'udp' ? udp : tcp)(attempt)))
process.stdout.write(JSON.stringify(found))
process.exit()
