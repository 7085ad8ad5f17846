import { readFile } from 'node:fs/promises'
import type { ReadBytes } from './load.ts'
import { messageOf } from '../core/message-of.ts'

/** gRPC metadata carries no other characters. */
const SENDABLE = /^[\x21-\x7e]+$/

export type ReadToken = { readonly token: string } | { readonly wrong: string }

/** Reads a token that somebody must show. One line end at the end of the file is not part of it. */
export async function readToken(file: string, read: ReadBytes = readFile): Promise<ReadToken> {
  let text: string
  try {
    text = Buffer.from(await read(file)).toString('utf8')
  } catch (error) {
    return { wrong: `the token cannot be read: ${messageOf(error)}` }
  }
  const token = text.replace(/\r?\n$/, '')
  if (SENDABLE.test(token)) return { token }
  return { wrong: `the token in ${file} must be one line of printable ASCII without spaces` }
}
