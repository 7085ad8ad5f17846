import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'

/** Files, and what they held when they were last read. */
export interface SeenFiles {
  /** Reads a file, and remembers what it saw. Rejects like `readFile`. */
  read(file: string): Promise<Uint8Array>
  /** Whether one of them holds something else by now. */
  differ(): Promise<boolean>
}

export interface SeenFilesOptions {
  /**
   * A pipe or a device is refused. Whoever waits for one holds a thread of the process, which everything that looks up
   * names shares, and cannot even be ended.
   */
  readonly filesOnly?: boolean
}

/** Nothing that is read here may be so large. Larger ones are told apart by their size. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * By content, because a time or an inode says nothing about it: a mounted volume swaps a symbolic link, editors rename,
 * and others write in place.
 */
export function createSeenFiles({ filesOnly = false }: SeenFilesOptions = {}): SeenFiles {
  const seen = new Map<string, string>()
  return {
    read: async (file) => {
      const found = await look(file)
      seen.set(file, found.mark)
      switch (found.kind) {
        case 'file':
          return found.bytes
        case 'other':
          if (filesOnly) throw new Error(`${file} is no regular file, and anything else is read at the start alone`)
          return readFile(file)
        case 'large':
          throw new Error(`${file} is larger than ${MAX_BYTES} bytes`)
        case 'missing':
          throw found.error
      }
    },
    differ: async () => {
      for (const [file, mark] of seen) if ((await look(file)).mark !== mark) return true
      return false
    },
  }
}

type Look = { readonly mark: string } & (
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'other' | 'large' }
  | { readonly kind: 'missing'; readonly error: Error }
)

async function look(file: string): Promise<Look> {
  try {
    // To open a pipe and close it again would break it for its writer.
    if (!(await stat(file)).isFile()) return OTHER
    return await lookInto(file)
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    return { kind: 'missing', error, mark: 'code' in error ? String(error.code) : error.name }
  }
}

const OTHER: Look = { kind: 'other', mark: 'other' }

async function lookInto(file: string): Promise<Look> {
  // Somebody may have put a pipe in its place.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!found.isFile()) return OTHER
    if (found.size > MAX_BYTES) return { kind: 'large', mark: `${found.size} bytes` }
    const bytes = await handle.readFile()
    return { kind: 'file', bytes, mark: createHash('sha256').update(bytes).digest('hex') }
  } finally {
    await handle.close()
  }
}
