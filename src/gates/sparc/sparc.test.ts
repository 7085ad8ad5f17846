import { afterEach, describe, expect, test, vi } from 'vitest'
import { gateExchange, inShort, plain, sessionOf, sessions, toolCall } from '../../../test/support/gates/kit.ts'
import {
  approves,
  askSparc,
  inAnswer,
  isAway,
  onItsWay,
  proposed,
  recalled,
  rejection,
  rejects,
  sparcWith,
  spec,
  talk,
  UNGROUNDED,
  type Reflecting,
} from '../../../test/support/gates/sparc.ts'
import type { Action } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import type { Resolution } from '../../core/session.ts'
import { boundedVerdict } from './bounds.ts'
import { clarify } from './clarify.ts'
import { NOT_CONFIRMED } from './own-words.ts'

afterEach(() => {
  vi.useRealTimers()
})

const call = toolCall('refund', { id: 'T-1' })

/** What we said of a call before. */
const ourWords = (explanation: string) =>
  clarify('refund', boundedVerdict(rejection({ issues: [{ ...UNGROUNDED, explanation }] })))

describe('a reflection becomes a ruling', () => {
  const away = 'failed/reflector_unavailable'
  const gone = 'deny/reflector_unavailable 503 sparc.reflector_unavailable'
  const reflected = 'modify/reflected 403 sparc.reflected'
  const blocked = 'deny/blocked 403 sparc.blocked'

  // req: sparc:field:on_reject_action, sparc:field:deny_score_threshold, sparc:field:fail_policy
  // req: sparc:default:on_reject_action, sparc:default:deny_score_threshold, sparc:default:fail_policy
  // req: sparc:record:approved, sparc:record:reject_observed, sparc:record:reflected, sparc:record:blocked
  // req: sparc:record:reflector_unavailable, sparc:reason:reflected, sparc:reason:blocked
  // req: sparc:reason:reflector_unavailable, sparc:policy:escalates, sparc:policy:escalates_observe
  test.each<[string, Reflecting, object, string]>([
    ['an approval', approves, {}, 'allow/approved'],
    ['an approval under deny', approves, { on_reject_action: 'deny', deny_score_threshold: 1 }, 'allow/approved'],
    ['a reject', rejects(), {}, reflected],
    ['a reject under reflect', rejects(), { on_reject_action: 'reflect' }, reflected],
    ['a reject under deny', rejects(), { on_reject_action: 'deny' }, blocked],
    ['a reject under observe', rejects(), { on_reject_action: 'observe' }, 'observe/reject_observed'],
    ['a score below the threshold', rejects({ score: 0.2 }), { deny_score_threshold: 0.3 }, blocked],
    ['a score at the threshold', rejects({ score: 0.3 }), { deny_score_threshold: 0.3 }, blocked],
    ['a score above the threshold', rejects({ score: 0.31 }), { deny_score_threshold: 0.3 }, reflected],
    ['the least score without a threshold', rejects({ score: 0 }), { deny_score_threshold: 0 }, reflected],
    ['no score', rejects({ score: undefined }), { deny_score_threshold: 1 }, reflected],
    [
      'a low score under observe',
      rejects({ score: 0.1 }),
      { on_reject_action: 'observe', deny_score_threshold: 0.3 },
      blocked,
    ],
    ['no verdict', isAway, {}, away],
    ['no verdict, open', isAway, { fail_policy: 'open', on_reject_action: 'deny' }, away],
    ['no verdict, closed', isAway, { fail_policy: 'closed' }, gone],
    ['no verdict, closed, observe', isAway, { fail_policy: 'closed', on_reject_action: 'observe' }, gone],
    ['a reject, closed', rejects(), { fail_policy: 'closed' }, reflected],
  ])('%s: %o %o', async (_name, reflecting, config, expected) => {
    for (const [enforcement, action, x] of [
      ['mcp', call, onItsWay()],
      ['inference', proposed('refund', '{"id":"T-1"}'), inAnswer()],
    ] as const) {
      const { gate } = sparcWith(reflecting, { ...config, enforcement })
      expect(inShort(await askSparc(gate, action, x))).toBe(expected)
    }
  })

  test('only one that is reflected has words for the model', async () => {
    const no = async (config: object, reflecting = rejects()) => {
      const ruling = await askSparc(sparcWith(reflecting, config).gate, call, onItsWay())
      return ruling.allow ? undefined : ruling.no
    }
    expect((await no({}))?.clarification).toContain(UNGROUNDED.explanation)
    expect(await no({ on_reject_action: 'deny' })).not.toHaveProperty('clarification')
    expect(await no({ fail_policy: 'closed' }, isAway)).not.toHaveProperty('clarification')
  })

  test('that tells the caller nothing of call, conversation or verdict', async () => {
    const issues = [{ ...UNGROUNDED, explanation: 'canary', correction: { id: 'canary' } }]
    for (const on_reject_action of ['reflect', 'deny']) {
      const { gate } = sparcWith(rejects({ issues }), { on_reject_action })
      const ruling = await askSparc(gate, toolCall('canary', { id: 'canary' }), onItsWay())
      if (ruling.allow) throw new Error('allowed')
      const { clarification: _, ...told } = ruling.no
      expect(JSON.stringify(told)).not.toContain('canary')
    }
  })
})

describe('the record', () => {
  // req: sparc:record:verdict
  test.each([
    ['mcp', call, onItsWay()],
    ['inference', proposed('refund', '{"id":"T-1"}'), inAnswer()],
  ])('has the whole verdict (%s)', async (enforcement, action, x) => {
    const { gate } = sparcWith(rejects(), { enforcement, track: 'slow_track' })
    const { run } = await askSparc(gate, action, x)
    expect(run.details).toEqual({ tool: 'refund', score: 0.2, latency_ms: 7, session: 'exact', proposed: true })
    expect(run.verdict).toEqual({
      decision: 'reject',
      score: 0.2,
      track: 'slow_track',
      enforcement,
      tool: 'refund',
      outcome: 'reflected',
      issues: [UNGROUNDED],
      execution_time_ms: 4,
    })
  })

  test('says that a score escalated it', async () => {
    const { gate } = sparcWith(rejects(), { deny_score_threshold: 0.5 })
    expect((await askSparc(gate, call, onItsWay())).run.verdict).toMatchObject({ outcome: 'denied', escalated: true })
    const denying = sparcWith(rejects(), { on_reject_action: 'deny' }).gate
    expect((await askSparc(denying, call, onItsWay())).run.verdict).not.toHaveProperty('escalated')
  })

  test.each([
    ['open', 'passed'],
    ['closed', 'refused'],
  ])('says why there is no verdict, and that it %s', async (fail_policy, outcome) => {
    const { run } = await askSparc(sparcWith(isAway, { fail_policy }).gate, call, onItsWay())
    expect(run.details).toMatchObject({ reflector_failure: 'status 500', tool: 'refund' })
    expect(run.verdict).toMatchObject({ decision: 'error', score: null, failure: 'status 500', outcome, issues: [] })
  })

  test('has a null where there is no score', async () => {
    const { run } = await askSparc(sparcWith(rejects({ score: undefined })).gate, call, onItsWay())
    expect(run.details).not.toHaveProperty('score')
    expect(run.verdict).toMatchObject({ score: null })
  })

  test('is bounded, whatever the verdict and the tool are', async () => {
    const huge = 'x\n'.repeat(100_000)
    const issues = Array.from({ length: 500 }, (_, index) => ({
      issue_type: huge,
      metric_name: huge,
      explanation: `${index}${huge}`,
      correction: { huge },
    }))
    const ruling = await askSparc(sparcWith(rejects({ issues })).gate, toolCall(huge), onItsWay())
    expect(JSON.stringify(ruling.run).length).toBeLessThan(20_000)
    expect(ruling.run.verdict?.['issues_left_out']).toBeGreaterThan(400)
    expect(JSON.stringify(ruling).length).toBeLessThan(26_000)
  })
})

describe('what is reflected on', () => {
  const passes = async (config: object, action: Action, x: Exchange = onItsWay()) => {
    const { gate, questions } = sparcWith(rejects(), config)
    const ruling = inShort(await askSparc(gate, action, x))
    expect(questions).toHaveLength(ruling.startsWith('skip') ? 0 : 1)
    return ruling
  }
  const reflected = 'modify/reflected 403 sparc.reflected'

  // req: sparc:field:skip_tools, sparc:field:reflect_tools, sparc:default:skip_tools, sparc:default:reflect_tools
  test.each<[object, string, string]>([
    [{}, 'refund', reflected],
    [{ skip_tools: ['list_*'] }, 'list_orders', 'skip/skip_tools'],
    [{ skip_tools: ['list_*'] }, 'enlist_me', reflected],
    [{ skip_tools: ['List_*'] }, 'list_orders', reflected],
    [{ skip_tools: ['a', 'get_?'] }, 'get_x', 'skip/skip_tools'],
    [{ skip_tools: ['get_?'] }, 'get_xy', reflected],
    [{ skip_tools: ['get_[ab]'] }, 'get_b', 'skip/skip_tools'],
    [{ skip_tools: ['bank*'] }, 'bank/refund', reflected],
    [{ skip_tools: ['bank/*'] }, 'bank/refund', 'skip/skip_tools'],
    [{ skip_tools: ['!refund'] }, 'list', reflected],
    [{ skip_tools: ['{refund,list}'] }, 'list', reflected],
    [{ reflect_tools: ['re*'] }, 'refund', reflected],
    [{ reflect_tools: ['re*'] }, 'list', 'skip/reflect_tools'],
    [{ reflect_tools: ['re*'], skip_tools: ['refund'] }, 'refund', 'skip/skip_tools'],
    [{ reflect_tools: [] }, 'refund', reflected],
  ])('%o: %s: %s', async (config, tool, expected) => {
    expect(await passes(config, toolCall(tool))).toBe(expected)
  })

  const others: readonly Action[] = [
    plain,
    { kind: 'request', what: 'resources/read', args: {}, effect: 'read', home: 'own' },
    { kind: 'inference', model: 'm', firstUserText: 'hi', effect: 'read', home: 'own' },
    { kind: 'mechanics', what: 'tools/list', effect: 'read', home: 'own' },
  ]
  test.each(others)('no tool call is none of its business: %o', async (action) => {
    expect(await passes({}, action)).toBe('skip/not_a_tool_call')
  })

  // req: sparc:field:enforcement, sparc:default:enforcement
  test.each<[object, readonly string[]]>([
    [{}, ['request']],
    [{ enforcement: 'mcp' }, ['request']],
    [{ enforcement: 'inference' }, ['completion']],
  ])('%o looks at %j', (config, points) => {
    expect(sparcWith(approves, config).gate.points).toEqual(points)
  })

  test.each<[object, boolean, boolean]>([
    [{}, true, false],
    [{ fail_policy: 'closed' }, false, false],
    [{ on_reject_action: 'observe' }, true, true],
    [{ on_reject_action: 'observe', fail_policy: 'closed' }, false, false],
    [{ on_reject_action: 'observe', deny_score_threshold: 0.1 }, true, false],
    [{ on_reject_action: 'deny' }, true, false],
  ])('%o fails open: %s, only watches: %s', (config, failsOpen, watchesOnly) => {
    expect(sparcWith(approves, config).gate).toMatchObject({ failsOpen, watchesOnly })
  })
})

describe('without the conversation', () => {
  const of = (
    certainty: Resolution['certainty'],
    ...conversations: readonly (ReturnType<typeof recalled> | undefined)[]
  ) =>
    gateExchange({
      session: sessions(
        certainty,
        ...conversations.map((each, index) => sessionOf(`s-${index}`, [], { conversation: () => each })),
      ),
    })
  const found = 'allow/approved'
  const missing = 'none'
  const elsewhere = recalled({ proposedIt: false })

  // req: sparc:reason:no_inference_context, sparc:record:no_inference_context, sparc:input:missing
  test.each<[string, Action, Exchange, string]>([
    ['a session that remembers it', call, of('exact', recalled()), found],
    ['its most recent one, though it did not propose this call', call, of('inferred', elsewhere), found],
    ['no session', call, of('none'), missing],
    ['a session that is gone', call, of('lost'), missing],
    ['a session that asked no model', call, of('exact', undefined), missing],
    ['no messages', call, of('exact', recalled({ messages: [] })), missing],
    ['no tools', call, of('exact', recalled({ tools: [] })), missing],
    ['several sessions, one of which proposed it', call, of('ambiguous', elsewhere, recalled(), undefined), found],
    ['several sessions, none of which did', call, of('ambiguous', elsewhere, elsewhere), missing],
    ['several sessions that all did', call, of('ambiguous', recalled(), recalled()), missing],
    ['an answer to a known question', proposed('refund', '{}'), inAnswer(), found],
    ['an answer to an unknown one', proposed('refund', '{}'), { ...inAnswer(), conversation: undefined }, missing],
    ['an answer to a question without tools', proposed('refund', '{}'), inAnswer(talk(undefined, [])), missing],
    ['an answer, and a session that remembers', proposed('refund', '{}'), of('exact', recalled()), missing],
  ])('%s', async (_name, action, x, expected) => {
    const ruling = async (fail_policy: string) =>
      inShort(await askSparc(sparcWith(approves, { fail_policy }).gate, action, x))
    const refused = 'deny/no_inference_context 503 sparc.no_inference_context'
    expect(await ruling('open')).toBe(expected === missing ? 'skip/no_inference_context' : expected)
    expect(await ruling('closed')).toBe(expected === missing ? refused : expected)
  })
})

describe('the question', () => {
  const asked = async (action: Action, x: Exchange) => {
    const { gate, questions } = sparcWith(approves)
    await askSparc(gate, action, x)
    return questions[0]
  }

  // req: sparc:input:messages, sparc:input:tools, sparc:input:call
  test('has every message in its form, the tools as they are, and the call', async () => {
    const messages = [
      { role: 'system', text: 'Be brief.' },
      { role: 'developer', text: 'Be kind.' },
      { role: 'user', text: 'Refund T-1' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'c1', tool: 'list', argumentsText: '{"a":1}' }] },
      { role: 'tool', text: 'T-1, T-2', toolCallId: 'c1' },
      { role: 'assistant', text: 'Found.', toolCalls: [{ id: undefined, tool: 'list', argumentsText: 'no json' }] },
    ]
    const tools = [spec('list'), spec('refund'), { type: 'web_search' }]
    const question = await asked(call, onItsWay(recalled({ messages, tools })))
    expect(question).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Refund T-1' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'list', arguments: '{"a":1}' } }],
        },
        { role: 'tool', content: 'T-1, T-2', tool_call_id: 'c1' },
        {
          role: 'assistant',
          content: 'Found.',
          tool_calls: [{ id: 'call_5_0', type: 'function', function: { name: 'list', arguments: 'no json' } }],
        },
      ],
      tools,
      call: { id: undefined, tool: 'refund', argumentsText: '{"id":"T-1"}' },
      sessionId: 's-1',
    })
  })

  test('has nothing of our own words, and all other text', async () => {
    const text = `a ${ourWords('T-1 is new')} b`
    const roles = ['system', 'user', 'assistant', 'tool', 'function']
    const messages = roles.map((role) => ({ role, text }))
    const question = await asked(call, onItsWay(recalled({ messages })))
    const cleared = `a ${NOT_CONFIRMED} b`
    expect(question?.messages.map(({ content }) => content)).toEqual([text, text, cleared, cleared, cleared])
  })

  test.each<[string, Action, string]>([
    ['as the model wrote them', proposed('refund', '{ "id" : "T-1" '), '{ "id" : "T-1" '],
    ['that are nothing', proposed('refund', ' '), '{}'],
  ])('has arguments of a proposed call %s', async (_name, action, text) => {
    expect((await asked(action, inAnswer()))?.call.argumentsText).toBe(text)
  })

  test('has no arguments where the call has none', async () => {
    expect((await asked(toolCall('refund', undefined), onItsWay()))?.call.argumentsText).toBe('{}')
  })

  test('asks the session for the call itself', async () => {
    const calls: unknown[] = []
    const conversation = (given: unknown) => {
      calls.push(given)
      return recalled()
    }
    await asked(call, gateExchange({ session: sessions('exact', sessionOf('s-1', [], { conversation })) }))
    expect(calls).toEqual([{ tool: 'refund', args: { id: 'T-1' } }])
  })

  test.each<[string, Resolution, string | undefined]>([
    ['one session', sessions('inferred', sessionOf('s-1', [])), 's-1'],
    ['several sessions', sessions('ambiguous', sessionOf('s-1', []), sessionOf('s-2', [])), undefined],
    ['none', sessions('none'), undefined],
  ])('about an answer in %s names it where it is one', async (_name, session, id) => {
    expect((await asked(proposed('refund', '{}'), inAnswer(talk(), { session })))?.sessionId).toBe(id)
  })

  test('names the session whose conversation it is', async () => {
    const session = sessions(
      'ambiguous',
      sessionOf('s-1', [], { conversation: () => recalled({ proposedIt: false }) }),
      sessionOf('s-2', [], { conversation: () => recalled() }),
    )
    expect((await asked(call, gateExchange({ session })))?.sessionId).toBe('s-2')
  })

  test.each<[readonly string[], string | undefined]>([
    [['refund'], 'refund'],
    [['bank__refund'], 'bank__refund'],
    [['bank.refund', 'list'], 'bank.refund'],
    [['mcp_bank_refund'], 'mcp_bank_refund'],
    [['bank/refund'], 'bank/refund'],
    [['bank-refund'], 'bank-refund'],
    [['refund', 'bank__refund'], 'refund'],
    [['bank__refund', 'list_refund'], 'bank__refund'],
    [['a__refund', 'b__refund'], undefined],
    [['a_refund', 'b_refund'], undefined],
    [['prerefund'], 'refund'],
    [['list'], 'refund'],
  ])('about a tool that the model knows as one of %j names %s', async (names, expected) => {
    const { gate, questions } = sparcWith(approves)
    const ruling = await askSparc(gate, call, onItsWay(recalled({ tools: names.map(spec) })))
    expect(questions[0]?.call.tool).toBe(expected)
    expect(inShort(ruling)).toBe(expected === undefined ? 'skip/no_inference_context' : 'allow/approved')
  })

  test('about a proposed tool has the name that the model gave it', async () => {
    const x = inAnswer(talk(undefined, [spec('bank__refund')]))
    expect((await asked(proposed('refund', '{}'), x))?.call.tool).toBe('refund')
  })
})

describe('a verdict that is kept', () => {
  const rounds = async (reflecting: Reflecting, config: object, ...asks: readonly (readonly [Action, Exchange])[]) => {
    const { gate, questions } = sparcWith(reflecting, config)
    const cached: unknown[] = []
    for (const [action, x] of asks) cached.push((await askSparc(gate, action, x)).run.cached)
    return { cached, questions: questions.length }
  }

  test('answers the same question: approved and rejected', async () => {
    for (const reflecting of [approves, rejects()]) {
      const same = await rounds(reflecting, {}, [call, onItsWay()], [call, onItsWay()])
      expect(same).toEqual({ cached: [undefined, true], questions: 1 })
    }
  })

  test('is none where there was no verdict', async () => {
    const same = await rounds(isAway, {}, [call, onItsWay()], [call, onItsWay()])
    expect(same).toEqual({ cached: [undefined, undefined], questions: 2 })
  })

  test('is none without a time to live', async () => {
    const same = await rounds(approves, { cache_ttl_ms: 0 }, [call, onItsWay()], [call, onItsWay()])
    expect(same.questions).toBe(2)
  })

  test('does not hang on the id of the call', async () => {
    const other = {
      ...proposed('refund', '{}'),
      proposed: { id: 'c-2', tool: 'refund', argumentsText: '{}' },
    } as Action
    const same = await rounds(approves, {}, [proposed('refund', '{}'), inAnswer()], [other, inAnswer()])
    expect(same.questions).toBe(1)
  })

  const said = (text: string, role = 'user') => recalled({ messages: [{ role, text }] })

  test('does not hang on our own words, only on what is shown of them', async () => {
    const heard = (about: string, then = '') => onItsWay(said(`${ourWords(about)}${then}`, 'tool'))
    expect((await rounds(approves, {}, [call, heard('T-1')], [call, heard('T-2')])).questions).toBe(1)
    expect((await rounds(approves, {}, [call, heard('T-1')], [call, heard('T-1', ' T-2')])).questions).toBe(2)
  })
  const withCalls = (argumentsText: string) =>
    recalled({ messages: [{ role: 'assistant', text: '', toolCalls: [{ id: 'a', tool: 't', argumentsText }] }] })
  const first = onItsWay()
  test.each<[string, Action, Exchange, Exchange?]>([
    ['another value', toolCall('refund', { id: 'T-2' }), first],
    ['another tool', toolCall('list', { id: 'T-1' }), first],
    ['another message', call, onItsWay(said('a')), onItsWay(said('b'))],
    ['another call before it', call, onItsWay(withCalls('{}')), onItsWay(withCalls('[]'))],
    ['another role', call, onItsWay(recalled({ messages: [{ role: 'tool', text: 'Refund' }] }))],
    ['another specification', call, onItsWay(recalled({ tools: [{ ...spec('refund'), strict: true }] }))],
    [
      'another session',
      call,
      gateExchange({ session: sessions('exact', sessionOf('s-2', [], { conversation: () => recalled() })) }),
    ],
  ])('is not that on %s', async (_name, action, x, before = first) => {
    expect((await rounds(approves, {}, [call, before], [action, x])).questions).toBe(2)
  })
})

describe('time', () => {
  const never: Reflecting = () => new Promise(() => undefined)

  // req: sparc:field:timeout_ms, sparc:default:timeout_ms
  test('is over when the gate says so, whatever the reflector does', async () => {
    vi.useFakeTimers()
    for (const [config, ms] of [
      [{}, 30_000],
      [{ timeout_ms: 250 }, 250],
    ] as const) {
      const { gate } = sparcWith(never, config)
      expect(gate.timeoutMs).toBe(ms)
      let ruling: string | undefined
      void askSparc(gate, call, onItsWay()).then((given) => (ruling = inShort(given)))
      await vi.advanceTimersByTimeAsync(ms - 1)
      expect(ruling).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)
      expect(ruling).toBe('failed/reflector_unavailable')
    }
  })

  test('is over when nobody waits any more', async () => {
    const leave = new AbortController()
    let flight: AbortSignal | undefined
    const { gate } = sparcWith((_question, signal) => {
      flight = signal
      return never(_question, signal)
    })
    const ruling = askSparc(gate, call, onItsWay(), leave.signal)
    leave.abort('gone')
    expect((await ruling).run.details).toMatchObject({ reflector_failure: 'time-out' })
    expect(flight?.aborted).toBe(true)
  })
})
