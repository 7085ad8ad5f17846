import { createHash, timingSafeEqual } from 'node:crypto'
import type { AdminOptions } from './server.ts'

const BEARER = /^bearer +(\S+)$/i

/** Compares in a time that tells nothing of the token. Asked for it each time: it may be another by now. */
export function bearerCheck(token: () => string | undefined): AdminOptions['authorize'] {
  return (authorization) => {
    const expected = token()
    if (expected === undefined) return 'unset'
    const given = BEARER.exec(authorization ?? '')?.[1]
    return given !== undefined && timingSafeEqual(digestOf(given), digestOf(expected)) ? 'yes' : 'no'
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
