import { describe, expect, test } from 'vitest'
import { checkEdits } from './edits.ts'

describe('edits that Envoy carries out', () => {
  test.each([
    ['traceparent', '00-abc'],
    ['x-plumbline-session', 's1'],
    ['authorization', 'Bearer x'],
    ['content-type', 'text/plain; charset=utf-8'],
    ['x-latin1', 'caf\u00e9'],
    ['x-tab', 'a\tb'],
    ['x-empty', ''],
  ])('%s: %j', (name, value) => {
    const edits = { set: [[name, value] as const], remove: [name] }
    expect(checkEdits(edits)).toBe(edits)
  })
})

describe('edits that it would skip, or that would smuggle', () => {
  const names = [
    ':authority',
    ':method',
    ':scheme',
    ':path',
    ':status',
    'host',
    'x-envoy-decorator-operation',
    'content-length',
    'transfer-encoding',
    'connection',
    'upgrade',
    'te',
    'trailer',
    '',
    'X-Upper',
    'with space',
    'with:colon',
    'umlaut-ä',
    'line\nbreak',
  ]
  test.each(names)('set %j', (name) => {
    expect(() => checkEdits({ set: [[name, 'v']], remove: [] })).toThrow('edit refused')
  })
  test.each(names)('remove %j', (name) => {
    expect(() => checkEdits({ set: [], remove: [name] })).toThrow('edit refused')
  })
  test.each(['a\r\nb', 'a\nb', 'a\0b', 'a\x7f', 'snow\u2603'])('value %j', (value) => {
    expect(() => checkEdits({ set: [['x-a', value]], remove: [] })).toThrow('forbidden characters')
  })
  test('one header set twice', () => {
    const twice = [
      ['x-a', '1'],
      ['x-a', '2'],
    ] as const
    expect(() => checkEdits({ set: twice, remove: [] })).toThrow('twice')
  })
  test('the value is not quoted, for it may be a secret', () => {
    expect(() => checkEdits({ set: [['x-a', 'hidden\n']], remove: [] })).not.toThrow('hidden')
  })
})
