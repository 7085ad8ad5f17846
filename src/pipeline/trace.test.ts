import { describe, expect, test } from 'vitest'
import { headerView } from '../http/headers.ts'
import { newTrace, traceIdOf } from './trace.ts'

const T = 'a1'.repeat(16)
const S = 'b2'.repeat(8)
const read = (...values: string[]) => traceIdOf(headerView(values.map((v) => ['traceparent', v])))

describe('traceparent', () => {
  test.each([
    [`00-${T}-${S}-01`, T],
    [`00-${T}-${S}-00`, T],
    [`01-${T}-${S}-01`, T],
    [`01-${T}-${S}-01-more`, T],
    [`00-${T}-${S}-01-more`, undefined],
    [`ff-${T}-${S}-01`, undefined],
    [`00-${T.toUpperCase()}-${S}-01`, undefined],
    [`00-${'0'.repeat(32)}-${S}-01`, undefined],
    [`00-${T}-${'0'.repeat(16)}-01`, undefined],
    [`01-${T}-${'0'.repeat(16)}-01`, undefined],
    ['', undefined],
  ])('%s', (value, expected) => {
    expect(read(value)).toBe(expected)
  })

  test('none, or two of them, name no trace', () => {
    expect(read()).toBeUndefined()
    expect(read(`00-${T}-${S}-01`, `00-${T}-${S}-01`)).toBeUndefined()
  })

  test('a new one is read back', () => {
    const { traceId, traceparent } = newTrace()
    expect(read(traceparent)).toBe(traceId)
  })
})
