import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createAuthority } from '../../test/support/tls/certificates.ts'
import { pathText } from './problem.ts'
import { readTls } from './tls.ts'

const FILES = { cert: '/tls.crt', key: '/tls.key', client_ca: '/ca.crt' }
const PAST = new Date('2020-01-01T00:00:00Z')

const authority = createAuthority('authority')
const { cert, key } = authority.issue('plumbline')
const old = createAuthority('old authority', { from: new Date(0), until: PAST })
const expired = authority.issue('late', { from: new Date(0), until: PAST })
const good = { '/tls.crt': cert, '/tls.key': key, '/ca.crt': authority.cert }

async function read(content: Readonly<Record<string, string>>): Promise<unknown> {
  const found = await readTls(FILES, async (file) => {
    const text = content[file]
    if (text === undefined) throw new Error(`ENOENT: ${file}`)
    return Buffer.from(text)
  })
  return 'tls' in found ? found.tls : found.issues.map(({ path, message }) => `${pathText(path)}: ${message}`)
}

describe('files that can be used', () => {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  test.each([
    ['one certificate each', good],
    ['a chain', { ...good, '/tls.crt': cert + authority.cert }],
    ['several authorities, one of which has expired', { ...good, '/ca.crt': old.cert + authority.cert }],
    ['words around a certificate', { ...good, '/ca.crt': `Issuer: us\n${authority.cert}` }],
  ])('%s', async (_name, content) => {
    expect(await read(content)).toEqual({
      cert: content['/tls.crt'],
      key: content['/tls.key'],
      clientCa: content['/ca.crt'],
    })
  })

  test('another kind of key is the key of another certificate', async () => {
    const rsa = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    expect(await read({ ...good, '/tls.key': rsa })).toEqual([
      'listener.tls.key: /tls.key is not the key of the certificate in /tls.crt',
    ])
  })
})

describe('files that cannot', () => {
  const locked = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
    .toString()
  const short = createAuthority('short', {}, () => generateKeyPairSync('rsa', { modulusLength: 512 })).issue('short')

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    [
      'none is there: all are told',
      {},
      [
        'listener.tls.cert: /tls.crt cannot be read: ENOENT: /tls.crt',
        'listener.tls.key: /tls.key cannot be read: ENOENT: /tls.key',
        'listener.tls.client_ca: /ca.crt cannot be read: ENOENT: /ca.crt',
      ],
    ],
    [
      'no PEM: all are told',
      { '/tls.crt': 'x', '/tls.key': 'x', '/ca.crt': '' },
      [
        'listener.tls.cert: /tls.crt holds no certificate in PEM',
        'listener.tls.key: /tls.key holds no private key in PEM',
        'listener.tls.client_ca: /ca.crt holds no certificate in PEM',
      ],
    ],
    [
      'a certificate that is broken',
      { ...good, '/tls.crt': cert.replace(/\nMII[^\n]*/, '\nMIIB') },
      ['listener.tls.cert: /tls.crt holds a certificate that cannot be read: '],
    ],
    [
      'key and certificate exchanged',
      { ...good, '/tls.crt': key, '/tls.key': cert },
      ['listener.tls.cert: /tls.crt holds no certificate', 'listener.tls.key: /tls.key holds no private key'],
    ],
    [
      'the key of another certificate',
      { ...good, '/tls.key': authority.issue('other').key },
      ['listener.tls.key: /tls.key is not the key of the certificate in /tls.crt'],
    ],
    ['a key with a pass phrase', { ...good, '/tls.key': locked }, ['listener.tls.key: /tls.key holds no private key']],
    [
      'a certificate that has expired',
      { ...good, '/tls.crt': expired.cert, '/tls.key': expired.key },
      ['listener.tls.cert: /tls.crt expired at Jan  1 00:00:00 2020 GMT: CN=late'],
    ],
    [
      'a chain of which one has expired',
      { ...good, '/tls.crt': cert + old.cert },
      ['listener.tls.cert: /tls.crt expired at Jan  1 00:00:00 2020 GMT: CN=old authority'],
    ],
    [
      'authorities that have all expired',
      { ...good, '/ca.crt': old.cert },
      ['listener.tls.client_ca: /ca.crt holds no authority that has not expired: CN=old authority'],
    ],
    [
      'keys that TLS finds too short',
      { ...good, '/tls.crt': short.cert, '/tls.key': short.key },
      ['listener.tls.cert: /tls.crt cannot be used: '],
    ],
  ])('%s', async (_name, content, expected) => {
    expect(await read(content)).toEqual(expected.map((start) => expect.stringContaining(start) as string))
  })
})
