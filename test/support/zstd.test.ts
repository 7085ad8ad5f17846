import { decompress } from 'fzstd'
import { expect, test } from 'vitest'
import { zstd, zstdBomb } from './zstd.ts'

test('the frames are what another reader takes them for', () => {
  const text = Buffer.from('{"a":1}'.repeat(40_000))
  expect(Buffer.from(decompress(zstd(text))).equals(text)).toBe(true)
  expect(decompress(zstdBomb(2)).length).toBe(2 * 1024 * 1024)
})
