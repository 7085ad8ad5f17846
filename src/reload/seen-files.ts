import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'

/** Files, and what they held when they were last read. */
export interface SeenFiles {
  /** Reads a file, and remembers what it saw. Rejects like `readFile`. */
  read(file: string): Promise<Uint8Array>
  /** Whether one of them holds something else by now. */
  differ(): Promise<boolean>
}

/** Larger ones are told apart by their size: whatever reads them refuses them. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * By content, because a time or an inode says nothing about it: a mounted volume swaps a symbolic link, editors rename,
 * and others write in place.
 */
export function createSeenFiles(): SeenFiles {
  const seen = new Map<string, string>()
  return {
    read: async (file) => {
      const found = await look(file)
      seen.set(file, found.mark)
      // What is no file is read once: a pipe has nothing to say the second time.
      if (found.kind === 'other') return readFile(file)
      if (found.kind === 'missing') throw found.error
      return found.bytes
    },
    differ: async () => {
      for (const [file, mark] of seen) if ((await look(file)).mark !== mark) return true
      return false
    },
  }
}

type Look = { readonly mark: string } & (
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'other' }
  | { readonly kind: 'missing'; readonly error: Error }
)

async function look(file: string): Promise<Look> {
  try {
    const { size, isFile } = await statOf(file)
    if (!isFile) return { kind: 'other', mark: 'other' }
    if (size > MAX_BYTES) return { kind: 'other', mark: `${size} bytes` }
    const bytes = await readFile(file)
    return { kind: 'file', bytes, mark: createHash('sha256').update(bytes).digest('hex') }
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    return { kind: 'missing', error, mark: 'code' in error ? String(error.code) : error.name }
  }
}

async function statOf(file: string): Promise<{ readonly size: number; readonly isFile: boolean }> {
  const found = await stat(file)
  return { size: found.size, isFile: found.isFile() }
}
