import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answered, cut, exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { Lesson } from '../../core/session.ts'
import { createMcpParser } from './mcp-parser.ts'

const parser = createMcpParser({ hosts: [], paths: ['/mcp'], denial: 'http_status' })

function readerOf(request: unknown, type: string, more: Given = {}) {
  const { x, body } = exchangeOf({ path: '/mcp', body: request, ...more })
  const reading = parser.read(x, body)
  return parser.readAnswer(answered(x, type), reading.kind === 'read' ? reading : undefined)
}

function learn(request: unknown, answer: string, type = 'application/json', places: readonly number[] = []) {
  const reader = readerOf(request, type)
  if (reader === undefined) return 'not read'
  const lessons: Lesson[] = []
  for (const piece of cut(new TextEncoder().encode(answer), places)) lessons.push(...reader.feed(piece))
  const end = reader.end('complete')
  return { lessons: [...lessons, ...end.lessons], details: end.details }
}

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'inbox', arguments: { n: 1 } } }
const READ = { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'file:///a' } }
const answer = (result: unknown, id: unknown = 7) => JSON.stringify({ jsonrpc: '2.0', id, result })
const text = (value: string) => ({ type: 'text', text: value })
const heard = (value: string) => ({ kind: 'tool-result', tool: 'inbox', args: { n: 1 }, text: value })
const unseen = { kind: 'unseen-result' }

describe('the answer to a call', () => {
  test.each<[string, unknown, unknown[]]>([
    ['text', { content: [text('a'), text('b')] }, [heard('a\nb')]],
    ['text and a picture', { content: [text('a'), { type: 'image', data: 'x' }, text('b')] }, [heard('a\nb'), unseen]],
    ['a file', { content: [{ type: 'resource', resource: { uri: 'u', blob: 'eA==' } }] }, [unseen]],
    ['a link', { content: [{ type: 'resource_link', uri: 'u', name: 'n' }] }, [unseen]],
    ['a resource in it', { content: [{ type: 'resource', resource: { uri: 'u', text: 'r' } }] }, [heard('r')]],
    ['text beside structure', { content: [text('a')], structuredContent: { b: 1 } }, [heard('a')]],
    ['structure only', { content: [], structuredContent: { b: 1 } }, [heard('{"b":1}')]],
    ['nothing', { content: [] }, []],
    [
      'a task',
      { task: { taskId: 't1', status: 'working' } },
      [{ kind: 'note', key: 'mcp-task:peer.test:t1', judged: true }],
    ],
    [
      'a task as the result',
      { resultType: 'task', taskId: 't1' },
      [{ kind: 'note', key: 'mcp-task:peer.test:t1', judged: true }],
    ],
    ['what only looks like a task', { taskId: 't1', content: [] }, []],
    ['a task whose name is no name', { task: { taskId: 'x'.repeat(300) } }, []],
    ['no object', 'x', []],
  ])('%s', (_, result, lessons) => {
    expect(learn(CALL, answer(result))).toMatchObject({ lessons })
  })

  test('the record says whether it failed', () => {
    expect(learn(CALL, answer({ content: [], isError: true }))).toMatchObject({
      details: { answer: 'json', failed: true },
    })
    expect(learn(CALL, answer({ content: [] }))).toMatchObject({ details: { failed: false } })
    expect(learn(CALL, '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}')).toMatchObject({
      details: { failed: true },
    })
    expect(learn(CALL, '<html>')).toMatchObject({ lessons: [unseen], details: { answer: 'other' } })
  })

  test('another id, or a request of the server, is not the result', () => {
    expect(learn(CALL, answer({ content: [text('a')] }, 8))).toMatchObject({ lessons: [unseen] })
    expect(learn(CALL, answer({ content: [text('a')] }, '7'))).toMatchObject({ lessons: [unseen] })
    const request = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'x', result: { content: [text('a')] } })
    expect(learn(CALL, request)).toMatchObject({ lessons: [unseen] })
  })

  test('other calls that bring text', () => {
    const contents = { contents: [{ uri: 'file:///a', text: 'r' }] }
    const expected = { kind: 'tool-result', tool: 'resources/read', args: { uri: 'file:///a' }, text: 'r' }
    expect(learn(READ, answer(contents))).toMatchObject({ lessons: [expected] })
    const prompt = { ...CALL, method: 'prompts/get', params: { name: 'p' } }
    const messages = { messages: [{ role: 'user', content: text('m') }] }
    expect(learn(prompt, answer(messages))).toMatchObject({ lessons: [{ tool: 'prompts/get', text: 'm' }] })
    const task = { ...CALL, method: 'tasks/get', params: { taskId: 't' } }
    const done = { taskId: 't', status: 'completed', result: { content: [text('d')] } }
    expect(learn(task, answer(done))).toMatchObject({ lessons: [{ tool: 'tasks/get', text: 'd' }] })
  })

  test('a long text is whole', () => {
    const long = 'x'.repeat(1_000_000)
    expect(learn(CALL, answer({ content: [text(long)] }))).toMatchObject({ lessons: [heard(long)] })
  })

  test('an answer that breaks off is a result that was not seen', () => {
    const reader = readerOf(CALL, 'application/json')
    reader?.feed(new TextEncoder().encode('{"jsonrpc":"2.0",'))
    expect(reader?.end('cut').lessons).toEqual([unseen])
  })

  test('answers that teach nothing are not asked for', () => {
    expect(readerOf({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, 'application/json')).toBeUndefined()
    expect(
      readerOf({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'x' } }, 'application/json'),
    ).toBeUndefined()
    expect(
      readerOf({ jsonrpc: '2.0', id: 1, method: 'message/send' }, 'application/json', { path: '/x' }),
    ).toBeUndefined()
    expect(readerOf(undefined, 'text/event-stream')).toBeUndefined()
    expect(readerOf(CALL, 'application/json', { direction: 'inbound' })).toBeUndefined()
  })
})

describe('a streamed answer', () => {
  const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'
  const stream = `id: 0\ndata:\n\nevent: message\ndata: ${progress}\n\nevent: message\ndata: ${answer({ content: [text('ü')] })}\n\n`

  test('is read at once, event by event', () => {
    const reader = readerOf(CALL, 'text/event-stream')
    expect(reader?.feed(new TextEncoder().encode(stream))).toEqual([heard('ü')])
    expect(reader?.end('cut')).toEqual({ lessons: [], details: { answer: 'events', unread: 'cut', failed: false } })
  })

  test('teaches the same however it is cut, and whatever the content type says', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(400), { maxLength: 8 }),
        fc.constantFrom('text/event-stream', 'application/json'),
        (places, type) => {
          expect(learn(CALL, stream, type, places)).toMatchObject({ lessons: [heard('ü')] })
        },
      ),
      { numRuns: 100 },
    )
  })
})

test('any bytes as an answer teach something or nothing', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        fc.json().map((json) => new TextEncoder().encode(json)),
      ),
      (bytes) => {
        const reader = readerOf(CALL, 'text/event-stream')
        expect(reader?.feed(bytes)).toBeInstanceOf(Array)
        expect(reader?.end('complete').lessons).toBeInstanceOf(Array)
      },
    ),
    { numRuns: 200 },
  )
})
