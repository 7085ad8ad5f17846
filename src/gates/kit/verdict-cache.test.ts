import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createVerdictCache, type Asked } from './verdict-cache.ts'

type Verdict = 'yes' | 'no' | 'failed'

/** A cache whose clock stands still, and questions that are answered when they are told to be. */
function stage(ttlMs = 100) {
  const clock = { nowMs: 1000 }
  const cache = createVerdictCache<Verdict>({
    ttlMs,
    keeps: (verdict) => verdict !== 'failed',
    now: () => clock.nowMs,
  })
  const asked: { key: string; signal: AbortSignal; answer: (verdict: Verdict) => void; fail: (why: Error) => void }[] =
    []
  const ask = (key: string, signal = new AbortController().signal) =>
    cache.ask(
      key,
      (flight) =>
        new Promise((answer, fail) => {
          asked.push({ key, signal: flight, answer, fail })
        }),
      signal,
    )
  return { clock, asked, ask, recall: (key: string) => cache.recall(key) }
}

const fresh = (verdict: Verdict): Asked<Verdict> => ({ kind: 'verdict', verdict, cached: false })
const cached = (verdict: Verdict): Asked<Verdict> => ({ kind: 'verdict', verdict, cached: true })
/** Lets everything that can happen without a timer happen. */
const settle = () => new Promise((done) => setImmediate(done))

describe('a verdict', () => {
  test('is kept until its time is over', async () => {
    const { clock, asked, ask, recall } = stage(100)
    expect(recall('a')).toBeUndefined()
    const first = ask('a')
    expect(recall('a')).toBeUndefined()
    asked[0]?.answer('no')
    expect(await first).toEqual(fresh('no'))
    clock.nowMs += 99
    expect(recall('a')).toBe('no')
    expect(await ask('a')).toEqual(cached('no'))
    clock.nowMs += 1
    expect(recall('a')).toBeUndefined()
    const second = ask('a')
    asked[1]?.answer('yes')
    expect(await second).toEqual(fresh('yes'))
  })

  test('is of its own question alone', async () => {
    const { asked, ask } = stage()
    const first = ask('a')
    asked[0]?.answer('yes')
    await first
    const other = ask('b')
    expect(asked.map(({ key }) => key)).toEqual(['a', 'b'])
    asked[1]?.answer('no')
    expect(await other).toEqual(fresh('no'))
    expect(await ask('a')).toEqual(cached('yes'))
  })

  test('that is a failure goes to all who wait, and is not kept', async () => {
    const { asked, ask } = stage()
    const both = [ask('a'), ask('a')]
    asked[0]?.answer('failed')
    expect(await Promise.all(both)).toEqual([fresh('failed'), fresh('failed')])
    const next = ask('a')
    expect(asked).toHaveLength(2)
    asked[1]?.answer('yes')
    expect(await next).toEqual(fresh('yes'))
  })

  test('that throws does so for all who wait, and the next asks anew', async () => {
    const { asked, ask } = stage()
    const both = [ask('a'), ask('a')]
    asked[0]?.fail(new Error('broken'))
    for (const each of both) await expect(each).rejects.toThrow('broken')
    void ask('a')
    expect(asked).toHaveLength(2)
  })

  test('that is used longest ago makes room', async () => {
    const { asked, ask } = stage()
    const answer = async (key: string) => {
      const answering = ask(key)
      asked.at(-1)?.answer('yes')
      return answering
    }
    for (let index = 0; index < 1024; index += 1) await answer(`${index}`)
    // The first is used again, so the second goes.
    expect(await ask('0')).toEqual(cached('yes'))
    await answer('one more')
    expect(await ask('0')).toEqual(cached('yes'))
    expect(await ask('2')).toEqual(cached('yes'))
    void ask('1')
    expect(asked.at(-1)?.key).toBe('1')
  })
})

describe('equal questions at once', () => {
  test('are one question; only who asked it did not get it from the cache', async () => {
    const { asked, ask } = stage()
    const all = [ask('a'), ask('a'), ask('a')]
    await settle()
    expect(asked).toHaveLength(1)
    asked[0]?.answer('no')
    expect(await Promise.all(all)).toEqual([fresh('no'), cached('no'), cached('no')])
  })

  test('go on when the one who asked first leaves', async () => {
    const { asked, ask } = stage()
    const leave = new AbortController()
    const first = ask('a', leave.signal)
    const second = ask('a')
    leave.abort()
    expect(await first).toEqual({ kind: 'left' })
    expect(asked[0]?.signal.aborted).toBe(false)
    asked[0]?.answer('yes')
    expect(await second).toMatchObject({ verdict: 'yes' })
  })

  test('end when the last one leaves, and who comes then asks anew', async () => {
    const { asked, ask } = stage()
    const leave = [new AbortController(), new AbortController()] as const
    const both = leave.map(({ signal }) => ask('a', signal))
    leave[1].abort()
    await settle()
    expect(asked[0]?.signal.aborted).toBe(false)
    leave[0].abort()
    expect(await Promise.all(both)).toEqual([{ kind: 'left' }, { kind: 'left' }])
    expect(asked[0]?.signal.aborted).toBe(true)
    const next = ask('a')
    expect(asked).toHaveLength(2)
    // What the abandoned question still says is nobody's answer.
    asked[0]?.answer('yes')
    await settle()
    asked[1]?.answer('no')
    expect(await next).toEqual(fresh('no'))
    expect(await ask('a')).toEqual(cached('no'))
  })

  test('are not joined to one that somebody gave up on; those who wait for it still get its answer, and it is kept', async () => {
    const { asked, ask } = stage()
    const leave = new AbortController()
    const first = ask('a', leave.signal)
    const second = ask('a')
    leave.abort()
    await first
    const third = ask('a')
    expect(asked).toHaveLength(2)
    asked[0]?.answer('yes')
    expect(await second).toMatchObject({ verdict: 'yes' })
    expect(await ask('a')).toEqual(cached('yes'))
    asked[1]?.answer('no')
    expect(await third).toEqual(fresh('no'))
    expect(await ask('a')).toEqual(cached('no'))
  })

  test('one after the other, each joining just before the last one leaves, do not wait for ever for one answer', async () => {
    const { asked, ask } = stage()
    let leave = new AbortController()
    void ask('a', leave.signal)
    for (let i = 0; i < 10; i += 1) {
      const next = new AbortController()
      void ask('a', next.signal)
      leave.abort()
      await settle()
      leave = next
    }
    expect(asked.length).toBeGreaterThan(1)
    expect(asked[0]?.signal.aborted).toBe(true)
  })

  test('of one who left before he came are not asked', async () => {
    const { asked, ask } = stage()
    expect(await ask('a', AbortSignal.abort())).toEqual({ kind: 'left' })
    expect(asked).toEqual([])
  })
})

test('without a time to live every question is asked', async () => {
  const { asked, ask } = stage(0)
  const both = [ask('a'), ask('a')]
  expect(asked).toHaveLength(2)
  asked[0]?.answer('yes')
  asked[1]?.answer('no')
  expect(await Promise.all(both)).toEqual([fresh('yes'), fresh('no')])
})

type Step =
  | { readonly do: 'ask'; readonly key: string }
  | { readonly do: 'answer'; readonly verdict: Verdict; readonly which: number }
  | { readonly do: 'leave'; readonly which: number }
  | { readonly do: 'wait'; readonly ms: number }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), key: fc.constantFrom('a', 'b') }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('answer' as const),
        verdict: fc.constantFrom<Verdict>('yes', 'no', 'failed'),
        which: fc.nat(9),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 150 }) }) },
  ),
  { maxLength: 40 },
)

test('whatever the order: one question of a kind that nobody gave up on at once, nobody is forgotten, no failure is kept', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { clock, asked, ask } = stage(100)
      const callers: { key: string; leave: AbortController; got?: Asked<Verdict> }[] = []
      /** What was said to a key, when, by whom. */
      const said: { key: string; verdict: Verdict; atMs: number }[] = []
      const open = () => asked.filter(({ signal }) => !signal.aborted).filter((each) => !done.has(each))
      const done = new Set<object>()
      for (const step of all) {
        if (step.do === 'ask') {
          const caller: (typeof callers)[number] = { key: step.key, leave: new AbortController() }
          callers.push(caller)
          const before = asked.length
          void ask(step.key, caller.leave.signal).then((got) => (caller.got = got))
          const isKept = said.some(
            ({ key, verdict, atMs }) => key === step.key && verdict !== 'failed' && clock.nowMs - atMs < 100,
          )
          if (isKept) expect(asked.length).toBe(before)
        } else if (step.do === 'answer') {
          const flight = open()[step.which % Math.max(open().length, 1)]
          if (flight !== undefined) {
            done.add(flight)
            said.push({ key: flight.key, verdict: step.verdict, atMs: clock.nowMs })
            flight.answer(step.verdict)
          }
        } else if (step.do === 'leave') {
          callers[step.which % Math.max(callers.length, 1)]?.leave.abort()
        } else {
          clock.nowMs += step.ms
        }
        await settle()
        const keys = open().map(({ key }) => key)
        for (const key of new Set(keys)) {
          const gaveUp = callers.filter(({ got, key: asks }) => got?.kind === 'left' && asks === key).length
          const equal = keys.filter((each) => each === key).length
          expect(equal, 'equal questions at once').toBeLessThanOrEqual(1 + gaveUp)
        }
        const waiting = callers.filter(({ got }) => got === undefined)
        // Who waits, waits for an open question of its own key; who does not wait keeps none open.
        expect(new Set(waiting.map(({ key }) => key))).toEqual(new Set(keys))
        expect(waiting.some(({ leave }) => leave.signal.aborted)).toBe(false)
        for (const { key, got } of callers) {
          if (got?.kind !== 'verdict') continue
          expect(said).toContainEqual(expect.objectContaining({ key, verdict: got.verdict }))
          if (got.cached) expect(got.verdict).not.toBe('failed')
        }
      }
    }),
    { numRuns: 200 },
  )
})
