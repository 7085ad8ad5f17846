import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answered, cut, exchangeOf } from '../../../../test/support/parsers/exchange.ts'
import { EVENTS, play, refusing, type GuardedDialect, type Player } from '../../../../test/support/parsers/guarding.ts'
import { madeAnthropic, madeChat, type Made } from '../../../../test/support/parsers/proposing.ts'
import { RECORDED } from '../../../../test/support/parsers/recorded.ts'
import type { FoundCall } from '../../../core/plugin.ts'
import type { ProposedCall } from '../../../core/session.ts'
import { createInferenceParser } from '../index.ts'

const streams: fc.Arbitrary<Made> = fc.oneof(
  madeChat,
  madeAnthropic,
  fc.constantFrom(
    ...RECORDED.map(({ dialect, events, calls }) => ({
      dialect,
      events,
      calls: calls.map(({ id, name, args }) => ({ id, name, argumentsText: JSON.stringify(args) })),
    })),
  ),
)
const places = fc.array(fc.nat(), { maxLength: 12 })
const rolls = fc.array(fc.nat({ max: 99 }), { minLength: 1, maxLength: 12 })

const bytesOf = ({ events }: Made): Uint8Array => Buffer.from(events.join(''))
const refusal = (call: FoundCall): ReturnType<typeof refusing> => refusing(`Words ${call.id}.`)

/** Feeds in pieces; rules on the calls in any order, as soon as dice say so, the rest at the end. */
function guarded(
  made: Made,
  at: readonly number[],
  dice: readonly number[],
  isRejected: (call: FoundCall) => boolean,
): Player {
  const player = play(made.dialect, EVENTS)
  const waiting: FoundCall[] = []
  let found = 0
  let turn = 0
  const ruleSome = (all: boolean): void => {
    waiting.push(...player.calls.slice(found))
    found = player.calls.length
    for (;;) {
      const roll = dice[turn++ % dice.length] ?? 0
      if (waiting.length === 0 || (!all && roll % 3 === 0)) return
      const [call] = waiting.splice(roll % waiting.length, 1)
      if (call !== undefined) player.rule(call.id, isRejected(call) ? refusal(call) : undefined)
    }
  }
  for (const piece of cut(bytesOf(made), at)) {
    player.feed(piece)
    ruleSome(false)
  }
  player.end()
  ruleSome(true)
  return player
}

/** What a client makes of a stream. */
function callsIn(dialect: GuardedDialect, stream: string): readonly ProposedCall[] {
  const parser = createInferenceParser(['peer.test'])
  const path = dialect === 'chat' ? '/v1/chat/completions' : '/v1/messages'
  const { x, body } = exchangeOf({ path, body: { model: 'm', messages: [] } })
  const read = parser.read(x, body)
  const reader = parser.readAnswer(answered(x, EVENTS), read.kind === 'read' ? read : undefined)
  if (reader === undefined) throw new Error('not read')
  const lessons = [...reader.feed(Buffer.from(stream)), ...reader.end('complete').lessons]
  return lessons.flatMap((lesson) => (lesson.kind === 'completion' ? lesson.calls : []))
}

const named = (calls: readonly ProposedCall[]): readonly string[] =>
  calls.map(({ id, tool, argumentsText }) => `${id ?? ''} ${tool} ${argumentsText}`).sort()

describe('whatever the stream, however it is cut, whenever and in whatever order calls are ruled on', () => {
  test('without a rejection the bytes are the same, and every call was asked about', () => {
    fc.assert(
      fc.property(streams, places, rolls, (made, at, dice) => {
        const player = guarded(made, at, dice, () => false)
        expect(player.unreadable).toEqual([])
        expect(player.out).toBe(made.events.join(''))
        expect(player.guard.done).toBe(true)
        expect(player.guard.changed).toBe(false)
        expect(player.guard.heldBytes).toBe(0)
        expect(named(player.calls.flatMap(({ action }) => action.proposed ?? []))).toEqual(
          named(made.calls.map(({ name, ...call }) => ({ ...call, tool: name }))),
        )
        const lessons = player.lessons.flatMap((lesson) => (lesson.kind === 'completion' ? lesson.calls : []))
        expect(named(lessons)).toEqual(named(callsIn(made.dialect, player.out)))
      }),
      { numRuns: 100 },
    )
  })

  test('with rejections nothing of a rejected call comes out, and the others come whole', () => {
    fc.assert(
      fc.property(streams, places, rolls, fc.nat(), (made, at, dice, mask) => {
        const rejected = made.calls.filter((_, index) => (mask >> index) % 2 === 1)
        const names = new Set(rejected.map(({ name }) => name))
        const isRejected = ({ action }: FoundCall): boolean => names.has(action.tool)
        const player = guarded(made, at, dice, isRejected)
        for (const { id, name } of rejected) {
          expect(player.out).not.toContain(id)
          expect(player.out).not.toContain(name)
          expect(player.out).not.toContain(`ARG${name.slice(4, -4)}`)
        }
        const kept = made.calls.filter((call) => !rejected.includes(call))
        const keptCalls = named(kept.map(({ name, ...call }) => ({ ...call, tool: name })))
        expect(named(callsIn(made.dialect, player.out))).toEqual(keptCalls)
        expect(player.guard.changed).toBe(rejected.length > 0)
        expect(player.out.match(/Words \d+\./g) ?? []).toHaveLength(rejected.length)
        expectWellFormed(made.dialect, player.out)
      }),
      { numRuns: 100 },
    )
  })

  test('the outcome is the same', () => {
    fc.assert(
      fc.property(streams, places, rolls, rolls, fc.nat(), (made, at, dice, otherDice, mask) => {
        const isRejected = ({ id }: FoundCall): boolean => (mask >> id) % 2 === 1
        const one = guarded(made, at, dice, isRejected)
        const other = guarded(made, [], otherDice, isRejected)
        expect(one.out).toBe(other.out)
        expect(one.lessons).toEqual(other.lessons)
        expect(one.guard.details).toEqual(other.guard.details)
      }),
      { numRuns: 100 },
    )
  })

  test('what precedes the first call is out before any ruling, and nothing of a call is', () => {
    fc.assert(
      fc.property(streams, places, (made, at) => {
        const player = play(made.dialect, EVENTS)
        for (const piece of cut(bytesOf(made), at)) player.feed(piece)
        const before = made.events.findIndex((event) => made.calls.some(({ id }) => event.includes(id)))
        expect(player.out).toBe(made.events.slice(0, before === -1 ? undefined : before).join(''))
      }),
      { numRuns: 100 },
    )
  })

  test('given up at any point, no call comes out that was not let go, and the stream has an end', () => {
    fc.assert(
      fc.property(streams, fc.nat(), (made, place) => {
        const bytes = bytesOf(made)
        const player = play(made.dialect, EVENTS)
        player.feed(bytes.subarray(0, place % bytes.length))
        player.abandon(refusing('Over.'))
        player.feed(bytes.subarray(place % bytes.length))
        player.end()
        for (const { id, name } of made.calls) {
          expect(player.out).not.toContain(id)
          expect(player.out).not.toContain(name)
        }
        expect(player.out).toMatch(made.dialect === 'chat' ? /data: \[DONE\]\n\n$/ : /"message_stop"\}\n\n$/)
        expectWellFormed(made.dialect, player.out)
      }),
      { numRuns: 100 },
    )
  })
})

interface Seen {
  readonly choices?: readonly {
    readonly index: number
    readonly delta: { readonly tool_calls?: readonly { readonly index?: number }[] }
  }[]
  readonly type?: string
  readonly index?: number
}

/** Numbers are contiguous from 0, and no list of calls is empty. */
function expectWellFormed(dialect: GuardedDialect, stream: string): void {
  const events = [...stream.matchAll(/^data: ?(\{.*\})\r?$/gm)].map(([, json = '']) => JSON.parse(json) as Seen)
  const groups = new Map<number, Set<number>>()
  for (const { choices = [], type, index: block } of events) {
    if (dialect === 'anthropic' && type === 'content_block_start') note(groups, 0, block)
    for (const { index, delta } of choices) {
      expect(delta.tool_calls).not.toEqual([])
      for (const call of delta.tool_calls ?? []) note(groups, index, call.index)
    }
  }
  for (const numbers of groups.values()) {
    expect([...numbers].sort((a, b) => a - b)).toEqual([...numbers].map((_, position) => position))
  }
}

function note(groups: Map<number, Set<number>>, group: number, index: number | undefined): void {
  const numbers = groups.get(group) ?? new Set()
  groups.set(group, numbers.add(index ?? -1))
}
