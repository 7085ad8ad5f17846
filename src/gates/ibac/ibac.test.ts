import { afterEach, describe, expect, test, vi } from 'vitest'
import { always, ask, gateWith, says } from '../../../test/support/gates/ibac.ts'
import { gateExchange, inShort, plain, sessionOf, sessions, toolCall } from '../../../test/support/gates/kit.ts'
import type { Action } from '../../core/action.ts'
import type { Resolution } from '../../core/session.ts'
import type { Verdict } from './verdict.ts'

afterEach(() => {
  vi.useRealTimers()
})

const call = toolCall('get_mail', { id: 1 })
const x = gateExchange()

describe('a verdict becomes a ruling', () => {
  test.each<[Verdict, string]>([
    // req: ibac:record:aligned, ibac:step:verdict
    [{ kind: 'allow', reason: 'r' }, 'allow/aligned'],
    // req: ibac:record:blocked, ibac:reason:blocked
    [{ kind: 'deny', reason: 'r' }, 'deny/blocked 403 ibac.blocked'],
    // req: ibac:record:judge_uncertain, ibac:reason:judge_uncertain
    [{ kind: 'uncertain', reason: 'r' }, 'deny/judge_uncertain 403 ibac.judge_uncertain'],
    // req: ibac:record:judge_unavailable, ibac:reason:judge_unavailable
    [{ kind: 'unavailable', failure: 'f' }, 'deny/judge_unavailable 503 ibac.judge_unavailable'],
  ])('%o: %s', async (verdict, expected) => {
    expect(inShort(await ask(gateWith(always(verdict)).gate, call, x))).toBe(expected)
  })

  // req: ibac:record:llm_reason
  test('whose record says what was asked, of whom, and what was said', async () => {
    const { run } = await ask(gateWith(says('deny', 'not asked for')).gate, call, x)
    expect(run.details).toEqual({
      llm_reason: 'not asked for',
      candidate: 's-1',
      candidates: 1,
      model: 'stub',
      latency_ms: 7,
      action_bytes: '{"tool":"get_mail","arguments":{"id":1}}'.length,
    })
  })

  test('whose record says why the judge could not be asked', async () => {
    const { run } = await ask(gateWith(always({ kind: 'unavailable', failure: 'status 500' })).gate, call, x)
    expect(run.details).toMatchObject({ judge_failure: 'status 500', candidate: 's-1', model: 'stub' })
    expect(run.details).not.toHaveProperty('llm_reason')
  })

  test('that tells the caller nothing of reason, intent or action', async () => {
    for (const kind of ['deny', 'uncertain'] as const) {
      const session = sessions('exact', sessionOf('s-1', ['canary intent']))
      const ruling = await ask(
        gateWith(says(kind, 'canary reason')).gate,
        toolCall('canary_tool', { a: 'canary' }),
        gateExchange({ session, path: '/canary' }),
      )
      expect(JSON.stringify(ruling.allow ? '' : ruling.no)).not.toContain('canary')
      expect(ruling.allow ? '' : ruling.no.message.length).toBeLessThanOrEqual(512)
    }
  })

  test('that is not remembered', async () => {
    // req: ibac:limit:per_request
    const { gate, cases } = gateWith(says('allow'))
    await ask(gate, call, x)
    await ask(gate, call, x)
    expect(cases).toHaveLength(2)
  })

  test('of a judge that throws is no allow', async () => {
    const { gate } = gateWith(() => Promise.reject(new Error('broken')))
    await expect(ask(gate, call, x)).rejects.toThrow('broken')
  })
})

describe('what is judged at all', () => {
  const mechanics: Action = { kind: 'mechanics', what: 'tools/list', effect: 'read', home: 'own' }
  const inference: Action = { kind: 'inference', model: 'm', firstUserText: 'hi', effect: 'read', home: 'own' }
  const request: Action = { kind: 'request', what: 'resources/read', args: {}, effect: 'read', home: 'own' }
  const at = (action: Action, home: Action['home']): Action => ({ ...action, home })

  // req: ibac:field:unclassified_policy, ibac:field:judge_inference, ibac:step:classification, ibac:step:inference
  // req: ibac:record:protocol_mechanics, ibac:record:inference_bypass
  test.each<[string, Action, string, string]>([
    ['a tool call', call, 'allow/aligned', 'allow/aligned'],
    ['a tool call elsewhere', at(call, 'foreign'), 'allow/aligned', 'allow/aligned'],
    ['another request', request, 'allow/aligned', 'allow/aligned'],
    ['plain traffic', plain, 'skip/unclassified', 'allow/aligned'],
    ['housekeeping at home', mechanics, 'skip/protocol_mechanics', 'skip/protocol_mechanics'],
    ['housekeeping elsewhere', at(mechanics, 'foreign'), 'allow/aligned', 'allow/aligned'],
    ['housekeeping where no home is known', at(mechanics, 'unstated'), 'skip/protocol_mechanics', 'allow/aligned'],
    ['a question to a model at home', inference, 'skip/inference_bypass', 'skip/inference_bypass'],
    ['a question to a model elsewhere', at(inference, 'foreign'), 'allow/aligned', 'allow/aligned'],
    ['a question to a model of no known home', at(inference, 'unstated'), 'skip/inference_bypass', 'allow/aligned'],
  ])('%s (%o)', async (_name, action, passthrough, judge) => {
    const under = async (policy: string) => {
      const { gate, cases } = gateWith(says('allow'), { unclassified_policy: policy })
      const ruling = inShort(await ask(gate, action, x))
      // What is skipped is not asked about, what is not skipped is.
      expect(cases).toHaveLength(ruling.startsWith('skip') ? 0 : 1)
      return ruling
    }
    expect(await under('passthrough')).toBe(passthrough)
    expect(await under('judge')).toBe(judge)
  })

  test.each(['own', 'foreign', 'unstated'] as const)(
    'judge_inference judges questions to a model (%s)',
    async (home) => {
      const { gate, cases } = gateWith(says('deny'), { judge_inference: true })
      expect(inShort(await ask(gate, at(inference, home), x))).toBe('deny/blocked 403 ibac.blocked')
      expect(cases).toHaveLength(1)
    },
  )
})

describe('whose intent', () => {
  const silent = sessionOf('s-0', [])
  const a = sessionOf('s-a', ['ask a', 'older a'])
  const b = sessionOf('s-b', ['ask b'])

  // req: ibac:field:no_intent_policy, ibac:record:no_user_context, ibac:record:no_intent, ibac:record:no_session
  // req: ibac:reason:no_intent, ibac:reason:no_session
  test.each<[string, Resolution, string, string]>([
    ['no session', sessions('none'), 'skip/no_user_context', 'deny/no_session 403 ibac.no_session'],
    [
      'a session without intent',
      sessions('exact', silent),
      'skip/no_user_context',
      'deny/no_intent 403 ibac.no_intent',
    ],
    [
      'several without intent',
      sessions('ambiguous', silent, silent),
      'skip/no_user_context',
      'deny/no_intent 403 ibac.no_intent',
    ],
    [
      'a session that is gone',
      sessions('lost'),
      'deny/no_session 403 ibac.no_session',
      'deny/no_session 403 ibac.no_session',
    ],
    ['a session with intent', sessions('inferred', a), 'allow/aligned', 'allow/aligned'],
  ])('%s', async (_name, session, allow, deny) => {
    const under = async (policy: string) => {
      const { gate, cases } = gateWith(says('allow'), { no_intent_policy: policy })
      const ruling = inShort(await ask(gate, call, gateExchange({ session })))
      expect(cases).toHaveLength(ruling.startsWith('allow') ? 1 : 0)
      return ruling
    }
    expect(await under('allow')).toBe(allow)
    expect(await under('deny')).toBe(deny)
  })

  // req: ibac:step:intent
  test('the newest intent is asked about, and earlier ones where that is set', async () => {
    for (const [turns, intents] of [
      [1, ['ask a']],
      [2, ['ask a', 'older a']],
    ] as const) {
      const { gate, cases } = gateWith(says('allow'), { intent_turns: turns })
      await ask(gate, call, gateExchange({ session: sessions('exact', a) }))
      expect(cases.map((each) => each.intents)).toEqual([intents])
    }
  })

  const many = (count: number) => Array.from({ length: count }, (_, i) => sessionOf(`s-${i}`, [`ask ${i}`]))
  const verdicts =
    (by: Readonly<Record<string, Verdict['kind']>>) =>
    ({ session }: { session: { id: string } }): Promise<Verdict> => {
      const kind = by[session.id] ?? 'deny'
      return Promise.resolve(
        kind === 'unavailable' ? { kind, failure: session.id } : { kind, reason: `said of ${session.id}` },
      )
    }

  describe('with several sessions', () => {
    test.each<[string, Readonly<Record<string, Verdict['kind']>>, string, string]>([
      ['one allow allows', { 's-1': 'allow' }, 'allow/aligned', 's-1'],
      ['also beside an outage', { 's-0': 'unavailable', 's-2': 'allow' }, 'allow/aligned', 's-2'],
      ['none allows', {}, 'deny/blocked 403 ibac.blocked', 's-0'],
      ['one is uncertain', { 's-1': 'uncertain' }, 'deny/judge_uncertain 403 ibac.judge_uncertain', 's-1'],
      [
        'one could not be asked about',
        { 's-1': 'uncertain', 's-2': 'unavailable' },
        'deny/judge_unavailable 503 ibac.judge_unavailable',
        's-2',
      ],
    ])('%s', async (_name, by, expected, candidate) => {
      const { gate, cases } = gateWith(verdicts(by))
      const ruling = await ask(gate, call, gateExchange({ session: sessions('ambiguous', ...many(3)) }))
      expect(inShort(ruling)).toBe(expected)
      expect(ruling.run.details).toMatchObject({ candidate, candidates: 3 })
      expect(cases).toHaveLength(3)
    })

    test('the first eight are asked about; with more, a no is an ambiguous one', async () => {
      const { gate, cases } = gateWith(verdicts({ 's-3': 'unavailable' }))
      const ruling = await ask(gate, call, gateExchange({ session: sessions('ambiguous', ...many(9)) }))
      expect(inShort(ruling)).toBe('deny/ambiguous_session 403 ibac.ambiguous_session')
      expect(ruling.run.details).toMatchObject({ candidates: 8, candidates_left_out: 1 })
      expect(cases.map(({ session }) => session.id)).toEqual(many(8).map(({ id }) => id))
    })

    test('at the limit a no is a plain one', async () => {
      const { gate } = gateWith(verdicts({}))
      const ruling = await ask(gate, call, gateExchange({ session: sessions('ambiguous', ...many(8)) }))
      expect(inShort(ruling)).toBe('deny/blocked 403 ibac.blocked')
    })

    test('the limit is max_candidates', async () => {
      const { gate, cases } = gateWith(verdicts({}), { max_candidates: 1 })
      const ruling = await ask(gate, call, gateExchange({ session: sessions('ambiguous', ...many(2)) }))
      expect(inShort(ruling)).toBe('deny/ambiguous_session 403 ibac.ambiguous_session')
      expect(cases).toHaveLength(1)
    })

    test('equal intents are asked about once, and leave nobody out', async () => {
      const { gate, cases } = gateWith(verdicts({}))
      const same = many(20).map(({ id }) => sessionOf(id, ['the same']))
      const ruling = await ask(gate, call, gateExchange({ session: sessions('ambiguous', ...same, b) }))
      expect(inShort(ruling)).toBe('deny/blocked 403 ibac.blocked')
      expect(cases.map(({ session }) => session.id)).toEqual(['s-0', 's-b'])
    })

    test('one whose user said nothing opens nothing for the others', async () => {
      const { gate } = gateWith(verdicts({}))
      const ruling = await ask(gate, call, gateExchange({ session: sessions('ambiguous', silent, b) }))
      expect(inShort(ruling)).toBe('deny/blocked 403 ibac.blocked')
    })

    test('ambiguous_session_policy: deny asks nobody', async () => {
      const { gate, cases } = gateWith(says('allow'), { ambiguous_session_policy: 'deny' })
      const ruling = await ask(gate, call, gateExchange({ session: sessions('ambiguous', a, b) }))
      expect(inShort(ruling)).toBe('deny/ambiguous_session 403 ibac.ambiguous_session')
      expect(cases).toEqual([])
      expect(inShort(await ask(gate, call, gateExchange({ session: sessions('inferred', a) })))).toBe('allow/aligned')
    })

    test('an allow does not wait for the others, and ends them', async () => {
      const ended: string[] = []
      const { gate } = gateWith(({ session }, signal) => {
        if (session.id === 's-1') return Promise.resolve({ kind: 'allow', reason: 'r' })
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended.push(session.id)
            resolve({ kind: 'unavailable', failure: 'time-out' })
          })
        })
      })
      const ruling = await ask(gate, call, gateExchange({ session: sessions('ambiguous', ...many(3)) }))
      expect(inShort(ruling)).toBe('allow/aligned')
      expect(ended).toEqual(['s-0', 's-2'])
    })
  })
})

describe('time', () => {
  const untilAborted = (_: unknown, signal: AbortSignal): Promise<Verdict> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve({ kind: 'unavailable', failure: 'time-out' })
      })
    })

  // req: ibac:field:timeout_ms, ibac:step:ask
  test('ends with timeout_ms, for all candidates together', async () => {
    vi.useFakeTimers()
    const { gate } = gateWith(untilAborted, { timeout_ms: 200 })
    const both = sessions('ambiguous', sessionOf('a', ['a']), sessionOf('b', ['b']))
    let ruled: string | undefined
    void ask(gate, call, gateExchange({ session: both })).then((ruling) => (ruled = inShort(ruling)))
    await vi.advanceTimersByTimeAsync(199)
    expect(ruled).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(ruled).toBe('deny/judge_unavailable 503 ibac.judge_unavailable')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('ends with the caller', async () => {
    const { gate } = gateWith(untilAborted)
    const caller = new AbortController()
    const ruling = ask(gate, call, x, caller.signal)
    caller.abort()
    expect(inShort(await ruling)).toBe('deny/judge_unavailable 503 ibac.judge_unavailable')
  })

  test('is what the gate says it needs', () => {
    expect(gateWith(says('allow'), { timeout_ms: 1234 }).gate.timeoutMs).toBe(1234)
  })

  test('leaves no timer behind, whatever the verdict', async () => {
    vi.useFakeTimers()
    for (const kind of ['allow', 'deny', 'uncertain'] as const) await ask(gateWith(says(kind)).gate, call, x)
    await ask(gateWith(() => Promise.reject(new Error('broken'))).gate, call, x).catch(() => undefined)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('what cannot be shown whole', () => {
  const binary = gateExchange({ body: Uint8Array.of(0xff, 0) })
  const long = toolCall('t', { list: Array.from({ length: 2000 }, (_, i) => `TX-${i}-abcdef`) })

  test.each<[string, Action, typeof binary]>([
    ['a binary body', plain, binary],
    ['a body that was not read', plain, gateExchange({ method: 'POST', read: { kind: 'unread' } })],
    ['too much to name', long, x],
  ])('%s', async (_name, action, given) => {
    const judged = gateWith(says('allow'), { unclassified_policy: 'judge' })
    const ruling = await ask(judged.gate, action, given)
    expect(inShort(ruling)).toBe('allow/aligned')
    expect(ruling.run.details).toMatchObject({ action_cut: true })
    expect(judged.cases).toHaveLength(1)

    const denying = gateWith(says('allow'), { unclassified_policy: 'judge', oversize_action: 'deny' })
    const no = await ask(denying.gate, action, given)
    expect(inShort(no)).toBe('deny/oversize 403 ibac.blocked')
    expect(no.run.details).toHaveProperty('action_bytes')
    expect(denying.cases).toEqual([])
  })

  test('what can is judged under either', async () => {
    const { gate } = gateWith(says('allow'), { unclassified_policy: 'judge', oversize_action: 'deny' })
    expect(inShort(await ask(gate, plain, gateExchange({ body: 'text' })))).toBe('allow/aligned')
  })

  test('passthrough passes it', async () => {
    const { gate } = gateWith(says('deny'), { oversize_action: 'deny' })
    expect(inShort(await ask(gate, plain, binary))).toBe('skip/unclassified')
  })
})
