import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { TlsMaterial } from '../core/tls.ts'
import type { Config, ReadBytes } from './load.ts'
import type { Issue } from './problem.ts'
import { messageOf } from '../core/message-of.ts'

export type TlsFiles = NonNullable<Config['listener']['tls']>
export type ReadTls = { readonly tls: TlsMaterial } | { readonly issues: readonly Issue[] }

type Part = keyof TlsFiles

/** Reads what a listener needs for TLS. Everything that is wrong with the files is reported at once. */
export async function readTls(files: TlsFiles, read: ReadBytes = readFile): Promise<ReadTls> {
  const issues: Issue[] = []
  const wrong = (part: Part, message: string): undefined => {
    issues.push({ path: ['listener', 'tls', part], message: `${files[part]} ${message}` })
  }
  const textOf = async (part: Part): Promise<string | undefined> => {
    try {
      return Buffer.from(await read(files[part])).toString('utf8')
    } catch (error) {
      return wrong(part, `cannot be read: ${messageOf(error)}`)
    }
  }
  // One after the other, so that what is wrong is told in the same order each time.
  const cert = await textOf('cert')
  const key = await textOf('key')
  const clientCa = await textOf('client_ca')
  const leaf = cert === undefined ? undefined : checkChain(cert, (message) => wrong('cert', message))
  const ours = key === undefined ? undefined : checkKey(key, (message) => wrong('key', message))
  if (clientCa !== undefined) checkAuthorities(clientCa, (message) => wrong('client_ca', message))
  if (leaf !== undefined && ours !== undefined && !leaf.checkPrivateKey(ours)) {
    wrong('key', `is not the key of the certificate in ${files.cert}`)
  }
  if (cert === undefined || key === undefined || clientCa === undefined || issues.length > 0) return { issues }
  const tls = { cert, key, clientCa }
  const refused = refusalOfTls(tls)
  if (refused === undefined) return { tls }
  wrong('cert', refused)
  return { issues }
}

type Complain = (message: string) => undefined

/** The first certificate is ours, the others lead to its authority. */
function checkChain(text: string, wrong: Complain): X509Certificate | undefined {
  const chain = certificatesIn(text, wrong)
  const expired = chain?.find(hasExpired)
  return expired === undefined ? chain?.[0] : wrong(`expired at ${expired.validTo}: ${nameOf(expired)}`)
}

/** Where authorities are changed, the old one may stand beside the new one and expire. */
function checkAuthorities(text: string, wrong: Complain): void {
  const authorities = certificatesIn(text, wrong)
  if (authorities?.every(hasExpired) !== true) return
  wrong(`holds no authority that has not expired: ${authorities.map(nameOf).join(', ')}`)
}

function checkKey(text: string, wrong: Complain): KeyObject | undefined {
  try {
    return createPrivateKey(text)
  } catch (error) {
    // It says nothing of what the file holds.
    const why = messageOf(error)
    return wrong(`holds no private key in PEM that can be read without a pass phrase: ${why}`)
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

function certificatesIn(text: string, wrong: Complain): readonly X509Certificate[] | undefined {
  const blocks = text.match(CERTIFICATE)
  if (blocks === null) return wrong('holds no certificate in PEM ("-----BEGIN CERTIFICATE-----")')
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch (error) {
    return wrong(`holds a certificate that cannot be read: ${messageOf(error)}`)
  }
}

function hasExpired({ validTo }: X509Certificate): boolean {
  return Date.parse(validTo) < Date.now()
}

function nameOf({ subject, serialNumber }: X509Certificate): string {
  return subject?.replaceAll('\n', ', ') ?? `serial number ${serialNumber}`
}

/** What only the library that will use them finds, such as keys that are too short. */
function refusalOfTls({ cert, key, clientCa }: TlsMaterial): string | undefined {
  try {
    createSecureContext({ cert, key, ca: clientCa })
    return undefined
  } catch (error) {
    return `cannot be used: ${messageOf(error)}`
  }
}
