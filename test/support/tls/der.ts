/* As much of X.509 as certificates of tests need, by RFC 5280. */

/** What a certificate stands for, besides its subject. */
export interface AltNames {
  readonly dns?: readonly string[]
  readonly uris?: readonly string[]
  /** IPv4 alone. */
  readonly ips?: readonly string[]
}

export interface CertificateFields {
  readonly serial: Buffer
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly from: Date
  readonly until: Date
  /** A SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
  readonly extensions: Buffer
}

/** `sign`: ECDSA with SHA-256. */
export function certificateDer(fields: CertificateFields, sign: (bytes: Buffer) => Buffer): Buffer {
  const algorithm = sequence(oid('2a8648ce3d040302'))
  const unsigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(fields.serial),
    algorithm,
    fields.issuer,
    sequence(time(fields.from), time(fields.until)),
    fields.subject,
    fields.publicKey,
    tagged(0xa3, fields.extensions),
  )
  return sequence(unsigned, algorithm, bits(sign(unsigned)))
}

export function nameDer(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(commonName)))))
}

export function authorityExtensions(): Buffer {
  const keyCertSign = tagged(0x03, Buffer.from([2, 0x04]))
  return sequence(extension('551d13', sequence(TRUE)), extension('551d0f', keyCertSign))
}

const PURPOSES = { server: '2b06010505070301', client: '2b06010505070302' } as const

/** What alone a certificate is good for; without it, for everything. */
export interface Purpose {
  readonly purpose?: keyof typeof PURPOSES
}

export function leafExtensions({ dns = [], uris = [], ips = [], purpose }: AltNames & Purpose): Buffer {
  const names = [
    ...dns.map((name) => tagged(0x82, Buffer.from(name))),
    ...uris.map((uri) => tagged(0x86, Buffer.from(uri))),
    ...ips.map((ip) => tagged(0x87, Buffer.from(ip.split('.').map(Number)))),
  ]
  return sequence(
    extension('551d13', sequence()),
    ...(names.length === 0 ? [] : [extension('551d11', sequence(...names))]),
    ...(purpose === undefined ? [] : [extension('551d25', sequence(oid(PURPOSES[purpose])))]),
  )
}

const TRUE = tagged(0x01, Buffer.from([0xff]))

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), TRUE, tagged(0x04, value))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'))
}

/** A leading zero keeps it positive, and is the only one that may lead. */
function integer(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0)
  const shortest = bytes.subarray(start === -1 ? bytes.length - 1 : start)
  return tagged(0x02, ...((shortest[0] ?? 0) >= 0x80 ? [Buffer.from([0]), shortest] : [shortest]))
}

function bits(bytes: Buffer): Buffer {
  return tagged(0x03, Buffer.from([0]), bytes)
}

/** Up to 2049. */
function time(date: Date): Buffer {
  const digits = date
    .toISOString()
    .replace(/[-:T]|\.\d+/g, '')
    .slice(2)
  return tagged(0x17, Buffer.from(digits))
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), length(content.length), content])
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size])
  return size < 0x100 ? Buffer.from([0x81, size]) : Buffer.from([0x82, size >> 8, size & 0xff])
}
