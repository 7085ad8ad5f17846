import { describe, expect, test } from 'vitest'
import type { ChatMessage, Lesson } from '../core/session.ts'
import { fixture, OPTIONS } from '../../test/support/session/kit.ts'

const said = (text: string): ChatMessage => ({ role: 'user', text })
const TOOLS = [{ type: 'function', function: { name: 'refund' } }]
const REFUND = { tool: 'refund', args: { id: 'TX-1' } }
const OTHER = { tool: 'refund', args: { id: 'TX-2' } }

const asked = (...texts: string[]): Lesson => ({
  kind: 'inference',
  model: 'm',
  messages: texts.map(said),
  tools: TOOLS,
})
const proposed = ({ tool, args }: typeof REFUND): Lesson => ({
  kind: 'completion',
  text: '',
  calls: [{ id: 'c1', tool, argumentsText: JSON.stringify(args) }],
  usage: undefined,
})

function strays(options: Partial<typeof OPTIONS> = {}) {
  const made = fixture(options)
  const { sessions } = made
  const query = { workload: 'w', handles: [], traceId: undefined }
  return {
    ...made,
    ask: (exchange: string, ...lessons: Lesson[]) => {
      sessions.learnStray('w', lessons, exchange, [])
    },
    recall: (call = REFUND, workload = 'w') => sessions.resolve({ ...query, workload }).stray?.(call)?.messages,
  }
}

describe('a conversation that is nobody’s in particular', () => {
  test('is found by the very call that it led to, and not as the most recent one', () => {
    const { ask, recall } = strays()
    ask('e1', asked('one'), proposed(REFUND))
    ask('e2', asked('two'))
    expect(recall()).toEqual([said('one')])
    expect(recall(OTHER)).toBeUndefined()
  })

  test('is not found where two conversations led to the same call', () => {
    const { ask, recall } = strays()
    ask('e1', asked('one'), proposed(REFUND))
    ask('e2', asked('two'), proposed(REFUND))
    expect(recall()).toBeUndefined()
  })

  test('that went on and led to the call again is one, in its newest state', () => {
    const { ask, recall } = strays()
    ask('e1', asked('one'), proposed(REFUND))
    ask('e2', asked('one', 'more'), proposed(REFUND))
    expect(recall()).toEqual([said('one'), said('more')])
  })

  test('belongs to its workload', () => {
    const { ask, recall } = strays()
    ask('e1', asked('one'), proposed(REFUND))
    expect(recall(REFUND, 'another')).toBeUndefined()
  })

  test('is forgotten when its workload has been silent for as long as a session lives', () => {
    const { ask, recall, pass } = strays()
    ask('e1', asked('one'), proposed(REFUND))
    pass(OPTIONS.ttlMs)
    expect(recall()).toBeDefined()
    pass(1)
    expect(recall()).toBeUndefined()
  })

  test('is not kept where sessions are off', () => {
    const { ask, recall } = strays({ enabled: false })
    ask('e1', asked('one'), proposed(REFUND))
    expect(recall()).toBeUndefined()
  })
})
