import {
  brotliCompressSync,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeBody, openDecoder, unlabelledCoding, type StreamEnd } from './decode.ts'
import { headerView } from './headers.ts'

const LIMITS = { bytes: 1024 * 1024, ratio: 100 }
const text = (value: string) => new TextEncoder().encode(value)
const encodedAs = (...values: string[]) => headerView(values.map((value) => ['content-encoding', value] as const))

/** One frame with one raw block: magic, descriptor (single segment, one size byte), size, block header, bytes. */
function zstdOf(content: Uint8Array): Uint8Array {
  const header = (content.length << 3) | 1
  return Uint8Array.of(
    ...[0x28, 0xb5, 0x2f, 0xfd, 0x20, content.length],
    ...[header & 0xff, (header >> 8) & 0xff, header >> 16],
    ...content,
  )
}

/** Blocks that repeat one byte 128 KiB long, four bytes each. */
function zstdOfRepeats(blocks: number): Uint8Array {
  const block = (last: boolean) => {
    const header = (131_072 << 3) | (1 << 1) | (last ? 1 : 0)
    return [header & 0xff, (header >> 8) & 0xff, header >> 16, 0x61]
  }
  const all = Array.from({ length: blocks }, (_, index) => block(index === blocks - 1)).flat()
  return Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, ...all)
}

/** Made with the reference encoder: 2000 times `hello zstd `, of unknown size, with a checksum. */
const ZSTD_REPEATED = 'KLUv/QRYnQAAWGhlbGxvIHpzdGQgAQDilffiBWI5DJs='

const HELLO = text('{"hello":"world"}')

/**
 * Bare: 257 stored bytes, then the rest stored. In zlib format: one stored block of 65278 bytes, whose header the bare
 * reading takes for content.
 */
function bareAndZlib(): Uint8Array {
  const made = new Uint8Array(65_289)
  const rest = made.length - 267
  made.set([0x78, 1, 1, 0xfe, 0xfe, 1, 1])
  made.set([1, rest & 0xff, rest >> 8, ~rest & 0xff, (~rest >> 8) & 0xff], 262)
  const checksum = deflateSync(made.subarray(7, 65_285)).subarray(-4)
  made.set(checksum, 65_285)
  return made
}

const CODED: readonly (readonly [string, string, Uint8Array])[] = [
  ['gzip', 'gzip', gzipSync(HELLO)],
  ['gzip by its old name', 'X-GZIP', gzipSync(HELLO)],
  ['deflate in zlib format', 'deflate', deflateSync(HELLO)],
  ['bare deflate', 'deflate', deflateRawSync(HELLO)],
  ['br', 'br', brotliCompressSync(HELLO)],
  ['zstd', 'zstd', zstdOf(HELLO)],
  ['two codings', 'gzip, br', brotliCompressSync(gzipSync(HELLO))],
  ['identity beside a coding', 'identity, gzip', gzipSync(HELLO)],
  ['nothing', '', HELLO],
]

describe('decodeBody', () => {
  test.each(CODED)('%s', async (_, coding, raw) => {
    const body = await decodeBody(raw, encodedAs(coding), LIMITS)
    expect(body.kind === 'whole' && Buffer.from(body.bytes).toString()).toBe('{"hello":"world"}')
    expect(body.kind === 'whole' && body.raw).toBe(raw)
  })

  test('bare deflate that begins like the zlib format', async () => {
    const length = [HELLO.length, 0]
    const block = (first: number) => [first, ...length, ...length.map((byte) => ~byte & 0xff), ...HELLO]
    const body = await decodeBody(Uint8Array.of(...block(0x78), ...block(1)), encodedAs('deflate'), LIMITS)
    expect(body.kind === 'whole' && Buffer.from(body.bytes).toString()).toBe('{"hello":"world"}'.repeat(2))
  })

  test('what is not encoded is one array', async () => {
    const body = await decodeBody(HELLO, headerView([]), LIMITS)
    expect(body).toEqual({ kind: 'whole', raw: HELLO, bytes: HELLO })
    expect(body.kind === 'whole' && body.bytes).toBe(HELLO)
  })

  test('codings in several headers are undone in reverse', async () => {
    const body = await decodeBody(brotliCompressSync(gzipSync(HELLO)), encodedAs('gzip', 'br'), LIMITS)
    expect(body.kind).toBe('whole')
  })

  test('no bytes are no body', async () => {
    expect(await decodeBody(new Uint8Array(), encodedAs('gzip'), LIMITS)).toEqual({ kind: 'none' })
  })

  test('a frame of the reference encoder', async () => {
    const body = await decodeBody(Buffer.from(ZSTD_REPEATED, 'base64'), encodedAs('zstd'), LIMITS)
    expect(body.kind === 'whole' && Buffer.from(body.bytes).toString()).toBe('hello zstd '.repeat(2000))
  })

  test.each<[string, string[], Uint8Array]>([
    ['an unknown coding', ['lzma'], HELLO],
    ['a name of Object.prototype', ['constructor'], HELLO],
    ['three codings', ['gzip, gzip, gzip'], gzipSync(gzipSync(gzipSync(HELLO)))],
    ['gzip that is none', ['gzip'], HELLO],
    ['gzip cut short', ['gzip'], gzipSync(HELLO).subarray(0, -3)],
    ['gzip with a second member', ['gzip'], Buffer.concat([gzipSync(HELLO), gzipSync('x')])],
    ['gzip with an empty second member', ['gzip'], Buffer.concat([gzipSync(HELLO), gzipSync('')])],
    ['gzip with bytes behind', ['gzip'], Buffer.concat([gzipSync(HELLO), HELLO])],
    // Read up to the zero by some; others skip padding between members, and read on.
    [
      'gzip with a second member behind a zero',
      ['gzip'],
      Buffer.concat([gzipSync('       '), Buffer.of(0), gzipSync('{"a":1}')]),
    ],
    ['deflate with bytes behind', ['deflate'], Buffer.concat([deflateSync(HELLO), HELLO])],
    ['bare deflate with bytes behind', ['deflate'], Buffer.concat([deflateRawSync(HELLO), HELLO])],
    ['deflate that is one text bare, and another in zlib format', ['deflate'], bareAndZlib()],
    ['br with bytes behind', ['br'], Buffer.concat([brotliCompressSync(HELLO), HELLO])],
    ['deflate that is none', ['deflate'], text('8')],
    ['br cut short', ['br'], brotliCompressSync(HELLO).subarray(0, -3)],
    ['zstd with a second frame', ['zstd'], Buffer.concat([zstdOf(HELLO), zstdOf(HELLO)])],
    [
      'zstd of unknown size with a second frame',
      ['zstd'],
      Buffer.from('28b52ffd005819000061626328b52ffd0058190000616263', 'hex'),
    ],
    ['zstd with a skippable frame', ['zstd'], Buffer.concat([Buffer.from('502a4d1800000000', 'hex'), zstdOf(HELLO)])],
    ['zstd with bytes behind', ['zstd'], Buffer.concat([zstdOf(HELLO), HELLO])],
    ['zstd cut short', ['zstd'], zstdOf(HELLO).subarray(0, -1)],
    ['zstd with a window of 2 GiB', ['zstd'], Buffer.from('28b52ffd00a8010000', 'hex')],
    ['zstd with a dictionary', ['zstd'], Buffer.from('28b52ffd210105010000', 'hex')],
    ['zstd whose size is a lie', ['zstd'], Buffer.from('28b52ffd2005190000616263', 'hex')],
  ])('undecodable: %s', async (_, codings, raw) => {
    expect(await decodeBody(raw, encodedAs(...codings), LIMITS)).toMatchObject({ kind: 'undecodable', raw })
  })

  const zeros = (bytes: number) => new Uint8Array(bytes)
  test.each<[string, string, Uint8Array, number]>([
    ['a body of its own', '', zeros(LIMITS.bytes + 1), LIMITS.bytes],
    ['gzip beyond the limit', 'gzip', gzipSync(Buffer.alloc(LIMITS.bytes + 1, 'abc')), 0],
    ['gzip beyond the ratio', 'gzip', gzipSync(zeros(500_000)), 0],
    ['br beyond the ratio', 'br', brotliCompressSync(zeros(500_000)), 65536],
    ['two layers', 'gzip, gzip', gzipSync(gzipSync(zeros(1_000_000))), 65536],
    ['zstd, blocks of repeats', 'zstd', zstdOfRepeats(5), 65536],
    ['zstd that says its size', 'zstd', Buffer.from('28b52ffda000000400190000616263', 'hex'), 65536],
  ])('over the limit: %s', async (_, coding, raw, limitBytes) => {
    const body = await decodeBody(raw, encodedAs(coding), LIMITS)
    expect(body.kind).toBe('over-limit')
    if (limitBytes > 0) expect(body).toMatchObject({ limitBytes })
  })

  test('at the limit it is whole', async () => {
    expect((await decodeBody(zeros(LIMITS.bytes), headerView([]), LIMITS)).kind).toBe('whole')
    expect((await decodeBody(gzipSync(zeros(65_536)), encodedAs('gzip'), LIMITS)).kind).toBe('whole')
    expect((await decodeBody(gzipSync(zeros(65_537)), encodedAs('gzip'), LIMITS)).kind).toBe('over-limit')
  })

  test('any bytes under any coding end in a body', async () => {
    const coding = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'gzip, zstd')
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map((rest) => Buffer.concat([Buffer.from('28b52ffd', 'hex'), rest])),
    )
    await fc.assert(
      fc.asyncProperty(coding, bytes, async (name, raw) => {
        expect(['none', 'whole', 'over-limit', 'undecodable']).toContain(
          (await decodeBody(raw, encodedAs(name), LIMITS)).kind,
        )
      }),
      { numRuns: 200 },
    )
  })
})

async function inPieces(coding: string, raw: Uint8Array, size: number): Promise<[string, StreamEnd]> {
  const seen: Uint8Array[] = []
  const decoder = openDecoder(encodedAs(coding), LIMITS, (bytes) => void seen.push(bytes.slice()))
  if (decoder === undefined) throw new Error('no decoder')
  for (let at = 0; at < raw.length; at += size) void decoder.feed(raw.subarray(at, at + size))
  const end = await decoder.end()
  return [Buffer.concat(seen).toString(), end]
}

describe('openDecoder', () => {
  test('whoever waits for what they fed is let go when it is faulty', async () => {
    const decoder = openDecoder(encodedAs('gzip'), LIMITS, () => undefined)
    await decoder?.feed(HELLO)
    expect(await decoder?.end()).toBe('undecodable')
  })

  test.each(CODED.filter(([, coding]) => coding !== 'gzip, br'))('%s in pieces', async (_, coding, raw) => {
    for (const size of [1, 7, 1000]) {
      expect(await inPieces(coding, raw, size)).toEqual(['{"hello":"world"}', 'whole'])
    }
  })

  test.each(['gzip', 'deflate', 'br'] as const)('%s: fed is out when its promise settles', async (coding) => {
    const compress = { gzip: createGzip, deflate: createDeflate, br: createBrotliCompress }[coding]()
    const pieces: Buffer[] = []
    compress.on('data', (piece: Buffer) => pieces.push(piece))
    const seen: string[] = []
    const decoder = openDecoder(encodedAs(coding), LIMITS, (bytes) => void seen.push(Buffer.from(bytes).toString()))
    for (const line of ['one', 'two', 'three']) {
      compress.write(line)
      await new Promise<void>((resolve) => compress.flush(() => resolve()))
      for (const piece of pieces.splice(0)) await decoder?.feed(piece)
      expect(seen.join(' ')).toMatch(new RegExp(`${line}$`))
    }
  })

  test('without coding the bytes come at once', () => {
    const seen: Uint8Array[] = []
    const reading = openDecoder(headerView([]), LIMITS, (bytes) => void seen.push(bytes))?.feed(HELLO)
    expect(reading).toBeUndefined()
    expect(seen).toEqual([HELLO])
  })

  test('what was read of a stream that is cut is kept', async () => {
    const content = Array.from({ length: 2000 }, (_, index) => `line ${index * 7919}`).join('\n')
    const [read, end] = await inPieces('gzip', gzipSync(content).subarray(0, -500), 300)
    expect(content.startsWith(read) && read.length > 1000).toBe(true)
    expect(end).toBe('whole')
  })

  test.each<[string, string, Uint8Array]>([
    ['identity', '', new Uint8Array(LIMITS.bytes + 1)],
    ['gzip', 'gzip', gzipSync(new Uint8Array(LIMITS.bytes * 2))],
    ['zstd', 'zstd', zstdOfRepeats(9)],
  ])('stops at the limit and says so: %s', async (_, coding, raw) => {
    const [read, end] = await inPieces(coding, raw, 50_000)
    expect(end).toBe('over-limit')
    expect(read.length).toBeLessThanOrEqual(LIMITS.bytes)
  })

  test.each(['gzip', 'deflate', 'br', 'zstd'])('a fault is named: %s', async (coding) => {
    expect((await inPieces(coding, Buffer.from('x8888888888'), 4))[1]).toBe('undecodable')
  })

  test.each(['gzip', 'br', 'zstd', ''])('an answer without bytes is whole: %s', async (coding) => {
    expect(await inPieces(coding, new Uint8Array(), 1)).toEqual(['', 'whole'])
  })

  test('codings that we do not read have no decoder', () => {
    expect(openDecoder(encodedAs('lzma'), LIMITS, () => undefined)).toBeUndefined()
    expect(openDecoder(encodedAs('gzip, br'), LIMITS, () => undefined)).toBeUndefined()
  })
})

test('magic bytes of an encoding that nobody named', () => {
  expect(unlabelledCoding(gzipSync('x'))).toBe('gzip')
  expect(unlabelledCoding(zstdOf(HELLO))).toBe('zstd')
  expect(unlabelledCoding(HELLO)).toBeUndefined()
})
