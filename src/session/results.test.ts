import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatMessage, Lesson, SessionView } from '../core/session.ts'
import { fixture, HOUR_MS, say, turn, user } from '../../test/support/session/kit.ts'
import { LIMITS } from './limits.ts'
import { Results } from './results.ts'
import { Total } from './total.ts'

const BYTES = 1_000_000

function newResults(overall = 10 * BYTES): Results {
  return new Results(new Total(overall))
}

const fromServer = (tool: string, args: unknown, text: string, cut?: true): Lesson => ({
  kind: 'tool-result',
  tool,
  args,
  text,
  ...(cut === undefined ? {} : { cut }),
})

const told = (...messages: readonly ChatMessage[]): Lesson => ({ kind: 'inference', model: 'm', messages, tools: [] })

const calls = (...list: readonly (readonly [id: string | undefined, tool: string, args?: string])[]): ChatMessage => ({
  role: 'assistant',
  text: '',
  toolCalls: list.map(([id, tool, argumentsText = '{}']) => ({ id, tool, argumentsText })),
})

const answers = (toolCallId: string | undefined, text: string, role = 'tool'): ChatMessage => ({
  role,
  text,
  ...(toolCallId === undefined ? {} : { toolCallId }),
})

function texts(results: Pick<Results, 'list'>): readonly string[] {
  return results.list.map(({ text }) => text)
}

describe('the results of tools', () => {
  test('are kept whole, with tool, arguments, host and order', () => {
    const results = newResults()
    const long = 'y'.repeat(200_000)
    expect(results.learn([fromServer('read', { n: 1 }, 'x')], 'a.test', BYTES)).toBe(true)
    expect(results.learn([fromServer('read', { n: 2 }, long)], undefined, BYTES)).toBe(true)
    expect(results.list).toEqual([
      { tool: 'read', args: { n: 1 }, text: 'x', host: 'a.test', cut: false },
      { tool: 'read', args: { n: 2 }, text: long, cut: false },
    ])
    expect(results.incomplete).toBe(false)
  })

  test('come from what a model is told, each with the call that it answers', () => {
    const results = newResults()
    const messages = [
      { role: 'user', text: 'hi' },
      calls(['1', 'inbox', '{"n":1}'], ['2', 'inbox', '{"n":2}']),
      answers('2', 'second'),
      answers('1', 'first'),
    ]
    expect(results.learn([told(...messages)], 'model.test', BYTES)).toBe(true)
    // The model's host is not where they came from.
    expect(results.list).toEqual([
      { tool: 'inbox', args: { n: 2 }, text: 'second', cut: false },
      { tool: 'inbox', args: { n: 1 }, text: 'first', cut: false },
    ])
  })

  test.each<[string, ChatMessage[], { tool: string; args: unknown }[]]>([
    ['in the order of the calls where there are no ids', [calls([undefined, 'a'], [undefined, 'b']), answers(undefined, 'x', 'function'), answers(undefined, 'y')], [{ tool: 'a', args: {} }, { tool: 'b', args: {} }]], // prettier-ignore
    ['without a call before it', [answers('9', 'x')], [{ tool: '', args: undefined }]],
    ['whose arguments are no JSON', [calls(['1', 'a', '{"n":']), answers('1', 'x')], [{ tool: 'a', args: '{"n":' }]],
    ['without arguments', [calls(['1', 'a', ' ']), answers('1', 'x')], [{ tool: 'a', args: {} }]],
    ['whose arguments are nested too deeply', [calls(['1', 'a', '['.repeat(99) + ']'.repeat(99)]), answers('1', 'x')], [{ tool: 'a', args: '['.repeat(99) + ']'.repeat(99) }]], // prettier-ignore
    ['that says nothing', [calls(['1', 'a']), answers('1', '')], []],
    ['that is no tool’s', [calls(['1', 'a']), { role: 'user', text: 'x' }], []],
  ])('a result %s', (_, messages, expected) => {
    const results = newResults()
    results.learn([told(...messages)], undefined, BYTES)
    expect(results.list.map(({ tool, args }) => ({ tool, args }))).toEqual(expected)
  })
})

describe('each once', () => {
  test('however often the history is repeated', () => {
    const results = newResults()
    const first = [calls(['1', 'a']), answers('1', 'x')]
    const second = [...first, calls(['2', 'a', '{"n":1}']), answers('2', 'y')]
    expect(results.learn([told(...first)], undefined, BYTES)).toBe(true)
    const { list } = results
    expect(results.learn([told(...first)], undefined, BYTES)).toBe(false)
    expect(results.learn([told(...second)], undefined, BYTES)).toBe(true)
    expect(results.learn([told(...second)], undefined, BYTES)).toBe(false)
    expect(texts(results)).toEqual(['x', 'y'])
    // Gates that keep an index need to look at the new ones only.
    expect(results.list).toBe(list)
  })

  test.each<[string, Lesson, ChatMessage[], string[]]>([
    ['the same as a message', fromServer('read', { n: 1 }, 'x'), [calls(['1', 'read', '{ "n": 1.0 }']), answers('1', 'x')], ['x']], // prettier-ignore
    ['under a prefix', fromServer('read', {}, 'x'), [calls(['1', 'files__read']), answers('1', 'x')], ['x']],
    ['cut by the agent', fromServer('read', {}, 'x'.repeat(100)), [calls(['1', 'read']), answers('1', 'x'.repeat(70))], ['x'.repeat(100)]], // prettier-ignore
    ['of a call that is not shown any more', fromServer('read', {}, 'x'), [answers('1', 'x')], ['x']],
    ['of another tool', fromServer('read', {}, 'x'), [calls(['1', 'write']), answers('1', 'x')], ['x', 'x']],
    ['of another call', fromServer('read', { n: 1 }, 'x'), [calls(['1', 'read', '{"n":2}']), answers('1', 'x')], ['x', 'x']], // prettier-ignore
    ['with more to it', fromServer('read', {}, 'x'), [calls(['1', 'read']), answers('1', 'x and y')], ['x', 'x and y']], // prettier-ignore
  ])('what a server answered, %s', (_, lesson, messages, expected) => {
    const results = newResults()
    results.learn([lesson], 'a.test', BYTES)
    results.learn([told(...messages)], undefined, BYTES)
    results.learn([told(...messages)], undefined, BYTES)
    expect(texts(results)).toEqual(expected)
  })

  const history = fc.array(
    fc.record({ tool: fc.constantFrom('a', 'b'), n: fc.nat(3), text: fc.constantFrom('x', 'y', 'long '.repeat(30)) }),
    { maxLength: 8 },
  )

  test('in any order and repetition of a history: the same results', () => {
    fc.assert(
      fc.property(
        history,
        fc.array(fc.record({ end: fc.nat(8), prefix: fc.boolean(), answer: fc.nat(7) })),
        (steps, told_) => {
          const results = newResults()
          const messages = (count: number, prefix: boolean): ChatMessage[] =>
            steps.slice(0, count).flatMap(({ tool, n, text }, at) => {
              const id = `call-${at}`
              return [calls([id, prefix ? `s__${tool}` : tool, JSON.stringify({ n })]), answers(id, text)]
            })
          for (const { end, prefix, answer } of told_) {
            const step = steps[answer]
            if (step !== undefined) results.learn([fromServer(step.tool, { n: step.n }, step.text)], 'h', BYTES)
            results.learn([told(...messages(end, prefix))], undefined, BYTES)
          }
          results.learn([told(...messages(steps.length, false))], undefined, BYTES)
          const seen = results.list.map(({ tool, args, text }) =>
            JSON.stringify([tool.replace(/^s__/, ''), args, text]),
          )
          const expected = new Set(steps.map(({ tool, n, text }) => JSON.stringify([tool, { n }, text])))
          expect(new Set(seen)).toEqual(expected)
          expect(seen.length).toBe(expected.size)
          expect(results.incomplete).toBe(false)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('what is missing is said', () => {
  test.each<[string, Lesson[], number | undefined]>([
    ['an answer that could not be read', [{ kind: 'unseen-result' }], BYTES],
    ['an answer that was cut', [fromServer('a', {}, 'x', true)], BYTES],
    ['one that is longer than half of all', [fromServer('a', {}, 'x'.repeat(BYTES / 2 + 1))], BYTES],
    ['an exchange whose results nobody asked for', [], undefined],
  ])('%s', (_, lessons, bytes) => {
    const results = newResults()
    results.learn([fromServer('a', {}, 'whole')], undefined, BYTES)
    expect(results.incomplete).toBe(false)
    results.learn(lessons, undefined, bytes)
    expect(results.incomplete).toBe(true)
  })

  test('a long text keeps its beginning, and no half of a character', () => {
    const results = newResults()
    results.learn([fromServer('a', {}, 'xé'.repeat(1_000))], undefined, 2_000)
    const [first] = results.list
    expect(first).toMatchObject({ cut: true })
    expect(first?.text).toBe(`${'xé'.repeat(333)}x`)
    // What is repeated of it is not new.
    expect(results.learn([told(calls(['1', 'a']), answers('1', 'xé'.repeat(1_000)))], undefined, 2_000)).toBe(false)
  })

  test('large arguments are left out', () => {
    const results = newResults()
    const args = { body: 'x'.repeat(BYTES / 8) }
    results.learn([fromServer('a', args, 'y')], undefined, BYTES)
    expect(results.list).toMatchObject([{ args: undefined, text: 'y', cut: false }])
    results.learn([told(calls(['1', 'a', JSON.stringify(args)]), answers('1', 'y'))], undefined, BYTES)
    expect(texts(results)).toEqual(['y'])
  })
})

describe('the bounds', () => {
  const numbered = (at: number, length = 1_000) => fromServer('a', { at }, `${at} `.padEnd(length, 'x'))

  test('the oldest are forgotten, and another list begins', () => {
    const results = newResults()
    const bytes = 20_000
    results.learn([numbered(0)], undefined, bytes)
    const before = results.list
    for (let at = 1; at < 40; at++) results.learn([numbered(at)], undefined, bytes)
    expect(results.list).not.toBe(before)
    expect(texts(results).at(-1)).toMatch(/^39 /)
    expect(texts(results)).not.toContain(texts({ list: before })[0])
    expect(results.incomplete).toBe(true)
  })

  test('what was forgotten is not new when it is repeated', () => {
    const results = newResults()
    const bytes = 20_000
    const messages = Array.from({ length: 40 }, (_, at) => [
      calls([`c${at}`, 'a', JSON.stringify({ at })]),
      answers(`c${at}`, `${at} `.padEnd(1_000, 'x')),
    ]).flat()
    for (let end = 2; end <= messages.length; end += 2)
      results.learn([told(...messages.slice(0, end))], undefined, bytes)
    const { list } = results
    expect(results.learn([told(...messages)], undefined, bytes)).toBe(false)
    expect(results.list).toBe(list)
    expect(texts(results).at(-1)).toMatch(/^39 /)
  })

  test('over all sessions the results of the one used longest ago go first, the oldest of them first', () => {
    const total = new Total(10_000)
    const [quiet, busy] = [new Results(total), new Results(total)]
    quiet.learn([numbered(0), numbered(1), numbered(2)], undefined, BYTES)
    busy.learn([numbered(3), numbered(4)], undefined, BYTES)
    expect([quiet.incomplete, busy.incomplete]).toEqual([false, false])
    busy.learn([numbered(5), numbered(6)], undefined, BYTES)
    expect(texts(quiet).map((text) => text[0])).toEqual(['1', '2'])
    expect(busy.incomplete).toBe(false)
    for (let at = 7; at < 10; at++) busy.learn([numbered(at)], undefined, BYTES)
    expect(quiet.list).toEqual([])
    busy.release()
    expect(total.held).toBe(0)
  })

  test('hold whatever comes, and all is counted', () => {
    const lesson = fc.record({
      who: fc.nat(2),
      tool: fc.constantFrom('a', 'b'),
      args: fc.jsonValue(),
      text: fc.oneof(
        fc.string(),
        fc.nat(5_000).map((n) => 'é'.repeat(n)),
      ),
      byModel: fc.boolean(),
      id: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(lesson, { maxLength: 60 }), (lessons) => {
        const total = new Total(20_000)
        const sessions = [new Results(total), new Results(total), new Results(total)]
        for (const { who, tool, args, text, byModel, id } of lessons) {
          const results = sessions[who]
          const one = byModel
            ? told(calls([id, tool, JSON.stringify(args)]), answers(id, text))
            : fromServer(tool, args, text)
          results?.learn([one], 'h', 10_000)
          const kept = results?.list.reduce((sum, each) => sum + Buffer.byteLength(each.text) + LIMITS.resultBytes, 0)
          expect(kept).toBeLessThanOrEqual(10_000)
          expect(total.held).toBeLessThanOrEqual(20_000)
        }
        for (const results of sessions) results.release()
        expect(total.held).toBe(0)
      }),
      { numRuns: 100 },
    )
  })
})

describe('of a session', () => {
  const RESULT = fromServer('read', {}, 'x')

  function viewOf(sessions: ReturnType<typeof fixture>['sessions'], contextId: string): SessionView {
    return say(sessions, 'go', { hint: { contextId } }).view
  }

  test('a session that is taught something new is named once', () => {
    const { sessions } = fixture()
    const view = viewOf(sessions, 'c')
    expect(sessions.learn(view.id, [RESULT], 'a.test', 'e1', BYTES)).toBe(view)
    expect(sessions.learn(view.id, [RESULT], 'a.test', 'e2', BYTES)).toBeUndefined()
    expect(view.results.list).toEqual([{ tool: 'read', args: {}, text: 'x', host: 'a.test', cut: false }])
    expect(view.results.incomplete).toBe(false)
  })

  test('where a gate asks for results later than the session began, they are incomplete', () => {
    const { sessions } = fixture()
    const [late, fresh] = [viewOf(sessions, 'c'), viewOf(sessions, 'd')]
    sessions.learn(late.id, [RESULT], 'a.test', 'e1')
    sessions.learn(late.id, [fromServer('read', {}, 'y')], 'a.test', 'e2', BYTES)
    sessions.learn(fresh.id, [RESULT], 'a.test', 'e3', BYTES)
    expect([late.results.incomplete, fresh.results.incomplete]).toEqual([true, false])
    expect(texts(late.results)).toEqual(['y'])
  })

  test('a session that starts anew lacks what it had', () => {
    const { sessions, pass } = fixture()
    turn(sessions, 'first', { hint: { contextId: 'c' } })
    pass(2 * HOUR_MS)
    expect(viewOf(sessions, 'c').results).toMatchObject({ list: [], incomplete: true })
  })

  test.each<[string, Lesson[], boolean]>([
    ['a result', [RESULT], true],
    ['a result that was not seen', [{ kind: 'unseen-result' }], true],
    ['a result that a model is told of', [told(calls(['1', 'a']), answers('1', 'x'))], true],
    ['a question to a model', [told({ role: 'user', text: 'x' })], false],
    ['nothing', [], false],
  ])('%s that is one of two sessions’ is missing in both, and kept in none', (_, lessons, incomplete) => {
    const { sessions } = fixture()
    const views = [viewOf(sessions, 'c'), viewOf(sessions, 'd')]
    sessions.learnStray('w', lessons, 'e', views.map(({ id }) => id)) // prettier-ignore
    for (const { results } of views) expect(results).toMatchObject({ list: [], incomplete })
  })

  test('what a user says is no result', () => {
    const { sessions } = fixture()
    const view = viewOf(sessions, 'c')
    sessions.learn(view.id, [user('x')], undefined, 'e', BYTES)
    expect(view.results).toMatchObject({ list: [], incomplete: false })
  })
})
