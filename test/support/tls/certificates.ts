import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject, KeyPairKeyObjectResult } from 'node:crypto'
import { authorityExtensions, certificateDer, leafExtensions, nameDer } from './der.ts'
import type { AltNames, Purpose } from './der.ts'

/* Certificates made on the spot, since a test machine need not have a tool for it. */

export interface Validity {
  readonly from?: Date
  readonly until?: Date
}

export type CertificateOptions = AltNames & Purpose & Validity

/** In PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** In PEM. */
  readonly cert: string
  issue(name: string, options?: CertificateOptions): Certificate
}

const HOUR_MS = 3600_000

export function createAuthority(name: string, validity: Validity = {}, newKeys = newEllipticKeys): Authority {
  const keys = newKeys()
  const certify = (subject: string, of: KeyObject, extensions: Buffer, { from, until }: Validity): string => {
    const fields = {
      serial: randomBytes(8),
      issuer: nameDer(name),
      subject: nameDer(subject),
      from: from ?? new Date(Date.now() - HOUR_MS),
      until: until ?? new Date(Date.now() + 24 * HOUR_MS),
      publicKey: of.export({ type: 'spki', format: 'der' }),
      extensions,
    }
    return pem(certificateDer(fields, (bytes) => sign('sha256', bytes, keys.privateKey)))
  }
  return {
    cert: certify(name, keys.publicKey, authorityExtensions(), validity),
    issue: (subject, options = {}) => {
      const own = newKeys()
      return {
        cert: certify(subject, own.publicKey, leafExtensions(options), options),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}

function newEllipticKeys(): KeyPairKeyObjectResult {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
