import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatMessage } from '../core/session.ts'
import { Total } from './total.ts'
import { Conversations } from './conversations.ts'
import { LIMITS } from './limits.ts'

/** Few, so that they repeat, and some so large that limits are met; one alone is too large. */
const SMALL = ['a', 'b', 'c', 'd', 'e', 'f']
const LARGE = [700_000, 1_000_000, LIMITS.conversationChars].map((length) => 'x'.repeat(length))
const DIGEST_CHARS = 43

const message: fc.Arbitrary<ChatMessage> = fc.record({
  role: fc.constantFrom('user', 'tool'),
  text: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...SMALL) },
    { weight: 1, arbitrary: fc.constantFrom(...LARGE) },
  ),
})
const who = fc.nat(2)
const exchange = fc.constantFrom(...Array.from({ length: LIMITS.conversations + 1 }, (_, i) => `e${String(i)}`))
const tool = fc.constantFrom('a', 'b')
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('ask'),
      who,
      exchange,
      messages: fc.array(message, { maxLength: 5 }),
      tools: fc.array(fc.constantFrom<unknown>('t', { name: 'a' }, null), { maxLength: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('propose'), who, exchange, tool }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release'), who }) },
)

interface Kept {
  readonly exchange: string
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly unknown[]
  readonly proposed: string[]
  readonly fits: boolean
}

/** Of a message, which has two members here, or of a tool, which has one or is none. */
function weightOf(json: string): number {
  const members = json.startsWith('{"role"') ? 2 : json.startsWith('{') ? 1 : 0
  return json.length + LIMITS.partChars + members * LIMITS.valueChars
}

/** What is counted, from scratch. */
function charsOf(kept: readonly Kept[]): number {
  const shown = kept.filter(({ fits }) => fits)
  const distinct = (values: readonly unknown[]) => new Set(values.map((value) => JSON.stringify(value)))
  const once = [
    ...distinct(shown.flatMap(({ messages }) => messages)),
    ...distinct(shown.flatMap(({ tools }) => tools)),
  ].reduce((sum, json) => sum + weightOf(json), 0)
  const references = shown.reduce((sum, { messages, tools }) => sum + messages.length + tools.length, 0)
  const proposals = kept.flatMap(({ proposed }) => proposed).reduce((sum, name) => sum + name.length + DIGEST_CHARS, 0)
  return once + references * LIMITS.referenceChars + proposals
}

/** Of one conversation alone, where what is said twice counts twice. */
function fits(messages: readonly ChatMessage[], tools: readonly unknown[]): boolean {
  const chars = [...messages, ...tools].map((part) => weightOf(JSON.stringify(part)) + LIMITS.referenceChars)
  return chars.reduce((sum, each) => sum + each, 0) <= LIMITS.conversationChars
}

function trim(kept: Kept[]): void {
  while (kept.length > 1 && (kept.length > LIMITS.conversations || charsOf(kept) > LIMITS.conversationChars)) {
    kept.shift()
  }
}

test('whatever is asked and proposed: what is recalled is what was shown, and every character is counted once', () => {
  const play = (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) => {
    const total = new Total(LIMITS.conversationCharsOverall)
    const real = [0, 1, 2].map(() => new Conversations(total))
    const model: Kept[][] = [[], [], []]
    for (const now of steps) {
      const conversations = real[now.who] as Conversations
      const kept = model[now.who] as Kept[]
      const at = 'exchange' in now ? kept.findIndex((each) => each.exchange === now.exchange) : -1
      if (now.do === 'release') {
        conversations.release()
        kept.length = 0
      } else if ('messages' in now) {
        conversations.ask(now.exchange, structuredClone(now.messages), structuredClone(now.tools))
        if (at >= 0) kept.splice(at, 1)
        kept.push({ ...now, proposed: [], fits: fits(now.messages, now.tools) })
      } else if ('tool' in now) {
        conversations.propose(now.exchange, [{ id: undefined, tool: now.tool, argumentsText: '{}' }])
        kept[at]?.proposed.push(now.tool)
      }
      trim(kept)
      expect(total.held).toBe(model.reduce((sum, each) => sum + charsOf(each), 0))
      for (const name of ['a', 'b']) {
        const proposing = kept.findLast(({ proposed }) => proposed.includes(name))
        const couldPropose = kept.findLast(({ fits, tools }) => !fits || tools.length > 0)
        const expected = proposing ?? couldPropose ?? kept.at(-1)
        const recalled = conversations.recall({ tool: name, args: {} })
        if (expected?.fits !== true) expect(recalled).toBeUndefined()
        else {
          const { messages, tools } = expected
          expect(recalled).toEqual({ messages, tools, proposedIt: proposing !== undefined })
        }
      }
    }
    for (const conversations of real) conversations.release()
    expect(total.held).toBe(0)
  }
  fc.assert(fc.property(fc.array(step, { maxLength: 40, size: 'max' }), play), { numRuns: 60 })
}, 60_000)
