import { readFile } from 'node:fs/promises'

/** gRPC metadata carries no other characters. */
const SENDABLE = /^[\x21-\x7e]+$/

/** Reads the token that Envoy must show. One line end at the end of the file is not part of it. */
export async function readToken(file: string): Promise<{ readonly token: string } | { readonly wrong: string }> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    return { wrong: `the token cannot be read: ${error instanceof Error ? error.message : String(error)}` }
  }
  const token = text.replace(/\r?\n$/, '')
  if (SENDABLE.test(token)) return { token }
  return { wrong: `the token in ${file} must be one line of printable ASCII without spaces` }
}
