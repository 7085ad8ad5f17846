import { describe, expect, test } from 'vitest'
import { fitOf } from './fit.ts'
import { toolsIn } from './spec.ts'
import { userFacts } from './user.ts'

const tool = (name: string, description = '', properties: object = {}) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties } },
})
const BOX = [
  tool('create_poll', 'Starts a poll in a room.'),
  tool('set_status', "Sets the user's status."),
  tool('post_note', 'Posts a note in a room.', { room: { type: 'string' } }),
  tool('update_place', 'Changes the settings of a place.', { visibility: { enum: ['private', 'public'] } }),
]
const fit = (name: string, text: string, box: readonly unknown[] = BOX) =>
  fitOf(name, toolsIn({ messages: [], tools: box }), userFacts(text))

describe('a tool fits', () => {
  test.each<[string, string, string, number | undefined]>([
    ['most what the user names', 'create_poll', 'Start a poll about lunch', 1],
    ['not at all what the user does not speak of', 'set_status', 'Start a poll about lunch', 0],
    ['nothing that is known, where no tool does', 'set_status', 'Hmm?', undefined],
    ['nothing that is known, where it is not among the tools', 'other', 'Start a poll', undefined],
  ])('%s', (_name, name, text, expected) => {
    expect(fit(name, text)).toBe(expected)
  })

  test('less by a word that many tools share', () => {
    expect(fit('post_note', 'Start a poll in my room')).toBeGreaterThan(0)
    expect(fit('post_note', 'Start a poll in my room')).toBeLessThan(0.5)
  })

  test('by what may be chosen', () => {
    expect(fit('update_place', 'Make it public')).toBe(1)
  })

  test('under a longer name, with its server before it', () => {
    expect(fit('create_poll', 'Start a poll', [tool('chat__set_status'), tool('chat__create_poll')])).toBe(1)
  })

  test('as the tools are now', () => {
    const user = userFacts('Start a poll')
    const tools = toolsIn({ messages: [], tools: BOX })
    expect(fitOf('create_poll', tools, user)).toBe(1)
    expect(fitOf('create_poll', tools.slice(0, 1), user)).toBe(1)
    expect(fitOf('set_status', tools.slice(0, 1), user)).toBeUndefined()
  })
})

test.each<[string, readonly unknown[]]>([
  ['none', []],
  ['no tools', [7, null, 'x']],
  ['half a tool', [{ function: { name: 7 } }]],
  ['parameters that are none', [{ function: { name: 'poll', parameters: { properties: { a: 1, b: { enum: 3 } } } } }]],
])('%s: nothing breaks', (_name, box) => {
  expect(() => fit('poll', 'a poll', box)).not.toThrow()
})
