import { describe, expect, test } from 'vitest'
import { answerHead, headerView, requestHead } from './headers.ts'
import { mediaType } from './media.ts'

describe('headerView', () => {
  const view = headerView([
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
  ])

  test('keeps order and repeats', () => {
    expect(view.pairs.map(([name]) => name)).toEqual(['a', 'b', 'a'])
    expect(view.all('a')).toEqual(['1', '3'])
    expect(view.all('c')).toEqual([])
  })

  test('`one` is for what was sent once', () => {
    expect(view.one('b')).toBe('2')
    expect(view.one('a')).toBeUndefined()
    expect(view.one('constructor')).toBeUndefined()
    expect(view.has('a')).toBe(true)
    expect(view.has('toString')).toBe(false)
  })
})

describe('requestHead', () => {
  test('takes the pseudo headers apart', () => {
    const head = requestHead(
      [
        [':method', 'POST'],
        [':scheme', 'http'],
        [':authority', 'MCP.Example.:8080'],
        [':path', '/a/../mcp?x=1?2'],
        ['accept', '*/*'],
      ],
      false,
    )
    expect(head).toMatchObject({
      method: 'POST',
      scheme: 'http',
      authority: 'MCP.Example.:8080',
      host: 'mcp.example',
      path: '/a/../mcp',
      canonicalPath: '/mcp',
      query: 'x=1?2',
      bodyless: false,
    })
    expect(head.headers.pairs).toEqual([['accept', '*/*']])
  })

  test('Host stands in for :authority', () => {
    expect(requestHead([['host', 'a.test']], true)).toMatchObject({ host: 'a.test', path: '', bodyless: true })
  })
})

test('answerHead', () => {
  expect(answerHead([[':status', '204']], true)).toMatchObject({ status: 204, bodyless: true })
  expect(answerHead([[':status', 'x']], false)).toMatchObject({ status: 0 })
})

describe('mediaType', () => {
  test.each<[string[], ReturnType<typeof mediaType>]>([
    [[], undefined],
    [['application/json'], { essence: 'application/json', charset: undefined }],
    [['Application/JSON ; Charset="UTF-8"'], { essence: 'application/json', charset: 'utf-8' }],
    [['text/event-stream;charset=utf-8'], { essence: 'text/event-stream', charset: 'utf-8' }],
    [['multipart/form-data; boundary="a;charset=x"'], { essence: 'multipart/form-data', charset: undefined }],
    [['application/json; charset=utf-16'], { essence: 'application/json', charset: 'utf-16' }],
    [['application/json', 'text/plain'], 'several'],
    [['application/json', 'application/json'], 'several'],
    [['application/json, text/plain'], 'several'],
    [['application/json; charset=utf-8; charset=utf-16'], 'several'],
    [['application/json; charset=utf-8, text/plain; charset=utf-16'], 'several'],
    [[''], { essence: '', charset: undefined }],
  ])('%j', (values, expected) => {
    expect(mediaType(headerView(values.map((value) => ['content-type', value] as const)))).toEqual(expected)
  })
})
