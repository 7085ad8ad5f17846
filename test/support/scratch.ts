import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Closable } from './closing.ts'

/** A folder for sockets and files of one test; its path is short, because a socket's path must be. */
export async function scratchFolder(): Promise<{ readonly path: string } & Closable> {
  const path = await mkdtemp(join(tmpdir(), 'plumb-'))
  return { path, close: () => rm(path, { recursive: true, force: true }) }
}
