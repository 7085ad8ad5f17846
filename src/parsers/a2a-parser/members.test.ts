import { describe, expect, test } from 'vitest'
import { readMembers } from './members.ts'

const KNOWN = ['contextId', 'text']

describe('members under every spelling that a server takes', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['camel case', { contextId: 'c' }, { contextId: 'c' }],
    ['snake case', { context_id: 'c' }, { contextId: 'c' }],
    ['null is absent', { contextId: null, text: 'x' }, { text: 'x' }],
    ['others are left alone', { contextid2: 1, metadata: { Text: 1 } }, {}],
    ['a prototype is no member', JSON.parse('{"__proto__":{"text":"x"}}') as Record<string, unknown>, {}],
  ])('%s', (_, object, of) => {
    const members = readMembers(object, KNOWN)
    expect(members.ok && Object.fromEntries(members.of)).toEqual(of)
  })

  test.each<[string, Record<string, unknown>]>([
    ['both spellings', { contextId: 'c', context_id: 'c' }],
    ['both spellings, one null', { contextId: 'c', context_id: null }],
    ['another letter case', { ContextId: 'c' }],
    ['another letter case beside the right one', { text: 'a', TEXT: 'b' }],
    ['no letter case at all', { contextid: 'c' }],
    ['an odd underscore', { text_: 'a' }],
  ])('refused: %s', (_, object) => {
    expect(readMembers(object, KNOWN).ok).toBe(false)
  })

  test('refused: letters that only fold to ours', () => {
    expect(readMembers({ 'part\u017f': [] }, ['parts']).ok).toBe(false)
    expect(readMembers({ 'ta\u212aId': 'x' }, ['takId']).ok).toBe(false)
  })
})
