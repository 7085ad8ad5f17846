import { describe, expect, test } from 'vitest'
import { createRecent } from './recent.ts'

const json = (requestId: string, at: string) => JSON.stringify({ requestId, at })

function filled(most: number, ids: readonly string[], limitBytes?: number) {
  const recent = createRecent(most, limitBytes)
  for (const [at, id] of ids.entries()) recent.add(id, json(id, String(at)))
  return recent
}

const names = (records: readonly { readonly requestId: string }[]) => records.map(({ requestId }) => requestId)

describe('recent exchanges', () => {
  test('are the newest, first', () => {
    const recent = filled(3, ['a', 'b', 'c', 'd'])
    expect(names(recent.last(10))).toEqual(['d', 'c', 'b'])
    expect(names(recent.last(2))).toEqual(['d', 'c'])
    expect(recent.of('a')).toEqual([])
    expect(recent.of('b')).toEqual([{ requestId: 'b', at: '1' }])
  })

  test('may have an id in common', () => {
    expect(filled(5, ['a', 'b', 'a']).of('a')).toEqual([
      { requestId: 'a', at: '2' },
      { requestId: 'a', at: '0' },
    ])
  })

  test('are none where none are wanted', () => {
    expect(filled(0, ['a']).last(1)).toEqual([])
  })

  test('are bounded in bytes', () => {
    const each = json('a', '0').length * 2
    expect(names(filled(100, ['a', 'b', 'c', 'd'], 3 * each).last(9))).toEqual(['d', 'c', 'b'])
    expect(filled(100, ['a'], each).last(9)).toHaveLength(1)
    expect(filled(100, ['a'], each - 1).last(9)).toEqual([])
  })
})
