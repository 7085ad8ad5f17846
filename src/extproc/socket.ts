import { lstat, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname } from 'node:path'

/** The kernel's limit is 108 on Linux and 104 elsewhere, a temporary suffix of a tool included. */
const PATH_BYTES_MAX = 100

export function socketPath(address: string): string | undefined {
  return address.startsWith('unix:') ? address.slice('unix:'.length) : undefined
}

/**
 * Makes the path free for binding: a socket file that a dead process left is removed, a living one is not.
 * Throws what an operator can act on.
 */
export async function clearSocketPath(path: string): Promise<void> {
  if (Buffer.byteLength(path) >= PATH_BYTES_MAX) {
    throw new Error(`the socket path must be shorter than ${PATH_BYTES_MAX} bytes: ${path}`)
  }
  const found = await lstat(path).catch(absent)
  if (found === undefined) return requireFolder(dirname(path))
  if (!found.isSocket()) throw new Error(`${path} exists and is no socket`)
  if (await answers(path)) throw new Error(`another process answers on ${path}`)
  await unlink(path)
}

/** To bind in a folder that is not there fails as "permission denied", which sends people the wrong way. */
async function requireFolder(folder: string): Promise<void> {
  if ((await lstat(folder).catch(absent)) !== undefined) return
  throw new Error(`${folder}, the folder of the socket, does not exist; create it for the user of Envoy and Plumbline`)
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve(false)
      else reject(error)
    })
  })
}

/** A socket takes its permissions from the umask at bind: owner only, so that the agent beside us cannot open it. */
export async function withPrivateUmask<T>(bind: () => Promise<T>): Promise<T> {
  const before = process.umask(0o177)
  try {
    return await bind()
  } finally {
    process.umask(before)
  }
}
