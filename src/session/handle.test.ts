import { describe, expect, test } from 'vitest'
import { newHandle, publicId, readHandles } from './handle.ts'

const A = newHandle()
const B = newHandle()

describe('newHandle', () => {
  test('is well-formed by the strict pattern, and never the same', () => {
    const many = Array.from({ length: 500 }, () => newHandle())
    for (const handle of many) expect(handle).toMatch(/^pls_[A-Za-z0-9_-]{22}$/)
    expect(new Set(many).size).toBe(500)
  })

  test('carries all of its random bytes', () => {
    const bytes = Uint8Array.from({ length: 16 }, (_, i) => i * 16)
    const handle = newHandle(() => bytes)
    expect(Buffer.from(handle.slice('pls_'.length), 'base64url')).toEqual(Buffer.from(bytes))
  })
})

describe('readHandles', () => {
  test.each<[string, string[], string[]]>([
    ['one', [A], [A]],
    ['none', [], []],
    ['the same twice', [A, A], [A]],
    ['two', [A, B], [A, B]],
    ['a list in one value', [`${A}, ${B}`], [A, B]],
    ['space around it', [` ${A} `], [A]],
    ['empty', ['', ','], []],
    ['too short', [A.slice(0, -1)], []],
    ['too long', [`${A}x`], []],
    ['another prefix', [A.replace('pls_', 'plx_')], []],
    ['upper-case prefix', [A.replace('pls_', 'PLS_')], []],
    ['other characters', ['pls_aaaaaaaaaaaaaaaaaaaaa+'], []],
    ['a line break after it', [`${A}\nx`], []],
    ['junk beside a good one', ['junk', A], [A]],
  ])('%s', (_, values, handles) => {
    expect([...readHandles(values)]).toEqual(handles)
  })
})

describe('publicId', () => {
  test('is the same for the same handle, and another for another', () => {
    expect(publicId(A)).toBe(publicId(A))
    expect(publicId(A)).toMatch(/^pse_[\w-]{22}$/)
    expect(publicId(B)).not.toBe(publicId(A))
  })

  test('is no handle, and shows nothing of it', () => {
    const id = publicId(A)
    expect([...readHandles([id, id.replace('pse_', 'pls_')])]).not.toContain(A)
    expect(id).not.toContain(A.slice(4, 10))
  })
})
