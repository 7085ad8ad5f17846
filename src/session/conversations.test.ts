import { describe, expect, test } from 'vitest'
import type { ChatMessage, Lesson } from '../core/session.ts'
import { fixture, MINUTE_MS, OPTIONS, say, turn } from '../../test/support/session/kit.ts'
import { Total } from './total.ts'
import { Conversations } from './conversations.ts'
import { LIMITS } from './limits.ts'

const said = (text: string): ChatMessage => ({ role: 'user', text })
const asked = (...texts: string[]): Lesson => ({ kind: 'inference', model: 'm', messages: texts.map(said), tools: [] })
const proposed = (tool: string, args: unknown): Lesson => {
  const calls = [{ id: 'c1', tool, argumentsText: JSON.stringify(args) }]
  return { kind: 'completion', text: '', calls, usage: undefined }
}
const REFUND = { tool: 'refund', args: { id: 'TX-1' } }

describe('the conversation of a session', () => {
  test('none before a model was asked', () => {
    const { sessions } = fixture()
    expect(say(sessions, 'hello').view.conversation(REFUND)).toBeUndefined()
  })

  test('all that the model was shown, in its order, system prompt and tools too', () => {
    const { sessions } = fixture()
    const { view } = say(sessions, 'hello')
    const messages: ChatMessage[] = [
      { role: 'system', text: 'You are a clerk.' },
      said('again'),
      { role: 'assistant', text: '', toolCalls: [{ id: 'c0', tool: 'list', argumentsText: '{}' }] },
      { role: 'tool', text: '[]', toolCallId: 'c0' },
      said('again'),
    ]
    const tools = [{ type: 'function', function: { name: 'refund' } }, 'odd']
    sessions.learn(view.id, [{ kind: 'inference', model: 'm', messages, tools }], undefined, 'e1')
    expect(view.conversation(REFUND)).toEqual({ messages, tools, proposedIt: false })
    // The same lists each time: gates keep digests of them.
    expect(view.conversation(REFUND)?.messages).toBe(view.conversation(REFUND)?.messages)
    expect(view.conversation(REFUND)?.tools).toBe(view.conversation(REFUND)?.tools)
  })

  test('the newest exchange that proposed this very call, else the newest', () => {
    const { sessions } = fixture()
    const { view } = say(sessions, 'hello')
    for (const exchange of ['1', '2', '3']) sessions.learn(view.id, [asked(exchange)], undefined, exchange)
    for (const exchange of ['2', '1']) {
      sessions.learn(view.id, [proposed('bank__refund', { id: 'TX-1' })], undefined, exchange)
    }
    expect(view.conversation(REFUND)).toEqual({ messages: [said('2')], tools: [], proposedIt: true })
    const other = { tool: 'refund', args: { id: 'TX-2' } }
    expect(view.conversation(other)).toEqual({ messages: [said('3')], tools: [], proposedIt: false })
  })

  test('a proposal of the tool itself stands before a newer one of a tool whose name ends so', () => {
    const { sessions } = fixture()
    const { view } = say(sessions, 'hello')
    sessions.learn(view.id, [asked('its own'), proposed('refund', REFUND.args)], undefined, '1')
    sessions.learn(view.id, [asked('another'), proposed('ask_refund', REFUND.args)], undefined, '2')
    expect(view.conversation(REFUND)?.messages).toEqual([said('its own')])
    expect(view.conversation({ ...REFUND, tool: 'ask_refund' })?.messages).toEqual([said('another')])
  })

  test('a question without tools does not stand before one with them', () => {
    const { sessions } = fixture()
    const { view } = say(sessions, 'hello')
    const tools = [{ type: 'function', function: { name: 'refund' } }]
    sessions.learn(view.id, [{ kind: 'inference', model: 'm', messages: [said('1')], tools }], undefined, '1')
    sessions.learn(view.id, [asked('a title, please')], undefined, '2')
    expect(view.conversation(REFUND)).toEqual({ messages: [said('1')], tools, proposedIt: false })
  })

  test('an answer that comes in pieces proposes all of them; one to no known question proposes nothing', () => {
    const { sessions } = fixture()
    const { view } = say(sessions, 'hello')
    sessions.learn(view.id, [asked('a'), proposed('one', {}), proposed('two', {})], undefined, 'e1')
    sessions.learn(view.id, [asked('b')], undefined, 'e2')
    sessions.learn(view.id, [proposed('three', {})], undefined, 'e3')
    const proposedIt = (tool: string) => view.conversation({ tool, args: {} })?.proposedIt
    expect(['one', 'two', 'three'].map(proposedIt)).toEqual([true, true, false])
  })

  test('an exchange that asks twice counts as its last question', () => {
    const { sessions } = fixture()
    const { view } = say(sessions, 'hello')
    sessions.learn(view.id, [asked('before'), proposed('refund', REFUND.args), asked('after')], undefined, 'e1')
    expect(view.conversation(REFUND)).toEqual({ messages: [said('after')], tools: [], proposedIt: false })
  })

  test('is its own only, and what others send the agent opens none', () => {
    const { sessions } = fixture()
    const mine = say(sessions, 'mine')
    const others = say(sessions, 'other')
    mine.learn([asked('inbound'), proposed('refund', REFUND.args)])
    sessions.learn(others.view.id, [asked('theirs')], undefined, 'e1')
    expect(mine.view.conversation(REFUND)).toBeUndefined()
    expect(others.view.conversation(REFUND)?.messages).toEqual([said('theirs')])
  })

  test('the handle is no name to learn under', () => {
    const { sessions } = fixture()
    const { view, handle } = say(sessions, 'mine')
    sessions.learn(handle, [asked('x')], undefined, 'e1')
    expect(view.conversation(REFUND)).toBeUndefined()
    sessions.learn(view.id, [asked('x')], undefined, 'e1')
    expect(view.conversation(REFUND)).toBeDefined()
  })

  test('is gone with the session', () => {
    const { sessions, pass } = fixture()
    const { view } = turn(sessions, 'mine')
    sessions.learn(view.id, [asked('x')], undefined, 'e1')
    pass(OPTIONS.ttlMs + MINUTE_MS)
    sessions.stats()
    expect(view.conversation(REFUND)).toBeUndefined()
  })
})

describe('bounds', () => {
  const texts = ({ messages }: { messages: readonly ChatMessage[] } = { messages: [] }) => messages.map((m) => m.text)
  /** What a message costs beside its text: it has two members. */
  const beside = LIMITS.partChars + 2 * LIMITS.valueChars
  const ofOne = (chars: number) => [
    said('x'.repeat(chars - JSON.stringify(said('')).length - beside - LIMITS.referenceChars)),
  ]

  test('so many exchanges: the oldest goes', () => {
    const conversations = new Conversations(new Total(LIMITS.conversationCharsOverall))
    for (let i = 0; i <= LIMITS.conversations; i++) {
      conversations.ask(`e${String(i)}`, [said(String(i))], [])
      conversations.propose(`e${String(i)}`, [{ id: undefined, tool: `t${String(i)}`, argumentsText: '{}' }])
    }
    expect(conversations.recall({ tool: 't0', args: {} })?.proposedIt).toBe(false)
    expect(conversations.recall({ tool: 't1', args: {} })?.proposedIt).toBe(true)
  })

  test('a conversation at the limit is kept whole; a larger one is not kept, and no older one stands in for it', () => {
    const total = new Total(LIMITS.conversationCharsOverall)
    const conversations = new Conversations(total)
    conversations.ask('e1', ofOne(LIMITS.conversationChars), [])
    expect(conversations.recall(REFUND)?.messages).toEqual(ofOne(LIMITS.conversationChars))
    expect(total.held).toBe(LIMITS.conversationChars)
    conversations.ask('e2', ofOne(LIMITS.conversationChars + 1), [])
    conversations.propose('e2', [{ id: undefined, tool: 'refund', argumentsText: '{"id":"TX-1"}' }])
    expect(conversations.recall(REFUND)).toBeUndefined()
    expect(conversations.recall({ tool: 'other', args: {} })).toBeUndefined()
    conversations.ask('e3', [said('small')], ['tool'])
    expect(texts(conversations.recall({ tool: 'other', args: {} }))).toEqual(['small'])
    expect(conversations.recall(REFUND)).toBeUndefined()
  })

  test('tools count like messages', () => {
    const conversations = new Conversations(new Total(LIMITS.conversationCharsOverall))
    conversations.ask('e1', [said('x')], ['y'.repeat(LIMITS.conversationChars)])
    expect(conversations.recall(REFUND)).toBeUndefined()
  })

  const MANY: readonly (readonly [string, number, (count: number) => readonly [ChatMessage[], unknown[]]])[] = [
    ['messages', 8_000, (count) => [Array.from({ length: count }, (_, i) => said(String(i))), []]],
    ['lists', 65_000, (count) => [[], [Array.from({ length: count }, () => [])]]],
    ['objects', 32_000, (count) => [[], [Array.from({ length: count }, () => ({ a: {} }))]]],
  ]
  test.each(MANY)('small things count what they take in memory, not what they are long: %s', (_name, count, of) => {
    const recall = ([messages, tools]: ReturnType<typeof of>) => {
      expect(JSON.stringify([messages, tools]).length).toBeLessThan(LIMITS.conversationChars / 4)
      const conversations = new Conversations(new Total(LIMITS.conversationCharsOverall))
      conversations.ask('e1', messages, tools)
      return conversations.recall(REFUND)
    }
    expect(recall(of(count))).toBeUndefined()
    expect(recall(of(count / 4))).toBeDefined()
  })

  test('a conversation that grows message by message is held once', () => {
    const total = new Total(LIMITS.conversationCharsOverall)
    const conversations = new Conversations(total)
    const all: ChatMessage[] = []
    const tools = [{ name: 'refund', description: 'z'.repeat(10_000) }]
    for (let i = 0; i < 200; i++) {
      all.push(said(`${String(i)} ${'x'.repeat(1_000)}`))
      conversations.ask(`e${String(i)}`, structuredClone(all), structuredClone(tools))
    }
    const once = JSON.stringify([...all, ...tools]).length
    const references = LIMITS.conversations * (all.length + 1) * LIMITS.referenceChars
    expect(total.held).toBeLessThan(once + (all.length + 1) * beside + references)
    // Not only counted once: it is the same object, also where it stands elsewhere than it stood before.
    const before = conversations.recall(REFUND)
    conversations.ask('moved', structuredClone(all.slice(100)), structuredClone(tools))
    expect(conversations.recall(REFUND)?.messages[0]).toBe(before?.messages[100])
    conversations.release()
    expect(total.held).toBe(0)
  })

  test('when all sessions together hold too much, the oldest exchanges of all go', () => {
    const total = new Total(LIMITS.conversationCharsOverall)
    const sessions = LIMITS.conversationCharsOverall / LIMITS.conversationChars
    const each = Array.from({ length: sessions + 1 }, () => new Conversations(total))
    for (const conversations of each) conversations.ask('e', ofOne(LIMITS.conversationChars), [])
    expect(total.held).toBe(LIMITS.conversationCharsOverall)
    expect(each.map((one) => one.recall(REFUND) !== undefined)).toEqual([
      false,
      ...Array.from({ length: sessions }, () => true),
    ])
    for (const conversations of each) conversations.release()
    expect(total.held).toBe(0)
  })
})
