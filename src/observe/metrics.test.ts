import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Direction, Head } from '../core/exchange.ts'
import type { ExchangeRecord, Invocation } from '../core/record.ts'
import type { Asked } from '../core/telemetry.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { knownReason } from './reasons.ts'

function started(): { metrics: Metrics; later: (ms: number) => void } {
  let time = 0
  const metrics = createMetrics({ version: '1.2.3', now: () => time, clock: () => 1000 * 1000 + time })
  return { metrics, later: (ms) => (time += ms) }
}

async function lines(metrics: Metrics, figures: Readonly<Record<string, number>> = {}): Promise<readonly string[]> {
  return (await metrics.scrape(() => figures)).text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

const caller = (direction: Direction) => ({ direction, workload: 'w', routesByHost: true })
const NO_HEAD: Head | undefined = undefined

function recordOf(over: Partial<ExchangeRecord>): ExchangeRecord {
  return {
    sessionId: undefined,
    requestId: 'r',
    traceId: undefined,
    workload: 'w',
    at: '',
    direction: 'outbound',
    phase: 'response',
    host: '',
    method: '',
    path: '',
    statusCode: 200,
    durationMs: 20,
    session: { method: 'none', certainty: 'none' },
    invocations: [],
    ...over,
  }
}

const entry = (over: Partial<Invocation>): Invocation => {
  return { plugin: 'ibac', action: 'allow', phase: 'request', reason: 'aligned', ...over }
}

describe('metrics', () => {
  test('count an exchange, what its plugins did, and how long it took', async () => {
    const { metrics } = started()
    const watch = metrics.begins(caller('outbound'), NO_HEAD)
    watch.decides(3)
    const blocked = entry({ action: 'deny', reason: 'blocked' })
    watch.ends(recordOf({ phase: 'denied', invocations: [blocked, entry({ shadow: true })] }))
    const text = await lines(metrics)
    expect(text).toContain('plumbline_exchanges_total{direction="outbound",outcome="refused"} 1')
    expect(text).toContain('plumbline_exchanges_total{direction="inbound",outcome="refused"} 0')
    expect(text).toContain(
      'plumbline_plugin_decisions_total{plugin="ibac",action="deny",reason="blocked",shadow="false"} 1',
    )
    expect(text).toContain(
      'plumbline_plugin_decisions_total{plugin="ibac",action="allow",reason="aligned",shadow="true"} 1',
    )
    expect(text).toContain('plumbline_verdict_duration_seconds_bucket{le="0.0025",direction="outbound"} 0')
    expect(text).toContain('plumbline_verdict_duration_seconds_bucket{le="0.005",direction="outbound"} 1')
    expect(text).toContain('plumbline_exchange_duration_seconds_sum{direction="outbound"} 0.02')
    expect(text).toContain('plumbline_failed_open_total{plugin="ibac"} 0')
  })

  test('count questions, their failures, their tokens and what was kept', async () => {
    const { metrics, later } = started()
    const watch = metrics.begins(caller('outbound'), NO_HEAD)
    const outside = { what: 'judge', endpoint: new URL('http://judge.test'), model: 'm' } as const
    const ask = async (how: Asked) => {
      const answered = watch.asks(outside)
      expect(await lines(metrics)).toContain('plumbline_questions_running{to="judge"} 1')
      later(40)
      answered(how)
    }
    await ask({ outcome: 'answered', verdict: 'allow', inputTokens: 100, outputTokens: 7 })
    await ask({ outcome: 'failed', failure: 'timed_out' })
    watch.recalls('judge', true)
    const text = await lines(metrics)
    expect(text).toContain('plumbline_questions_running{to="judge"} 0')
    expect(text).toContain('plumbline_questions_total{to="judge",result="answered"} 1')
    expect(text).toContain('plumbline_questions_total{to="judge",result="failed"} 1')
    expect(text).toContain('plumbline_question_failures_total{to="judge",kind="timed_out"} 1')
    expect(text).toContain('plumbline_question_duration_seconds_bucket{le="0.05",to="judge"} 2')
    expect(text).toContain('plumbline_model_tokens_total{to="judge",kind="input"} 100')
    expect(text).toContain('plumbline_verdict_cache_total{of="judge",result="hit"} 1')
    expect(text).toContain('plumbline_verdict_cache_total{of="judge",result="miss"} 0')
  })

  test('say what failed open and closed', async () => {
    const { metrics } = started()
    const watch = metrics.begins(caller('outbound'), NO_HEAD)
    const open = entry({ plugin: 'sparc', action: 'failed', reason: 'deadline', details: { passed: true } })
    watch.ends(recordOf({ invocations: [open] }))
    const closed = entry({ action: 'deny', reason: 'judge_unavailable' })
    watch.ends(recordOf({ phase: 'denied', invocations: [closed] }))
    const text = await lines(metrics)
    expect(text).toContain('plumbline_failed_open_total{plugin="sparc"} 1')
    expect(text).toContain('plumbline_failed_closed_total{plugin="ibac"} 1')
    expect(text).toContain('plumbline_exchanges_total{direction="outbound",outcome="passed_unchecked"} 1')
  })

  test('tell of reloads', async () => {
    const { metrics, later } = started()
    later(5000)
    metrics.reloaded(false)
    expect(await lines(metrics)).toContain('plumbline_last_good_configuration_timestamp_seconds 1000')
    metrics.reloaded(true)
    const text = await lines(metrics)
    expect(text).toContain('plumbline_last_good_configuration_timestamp_seconds 1005')
    expect(text).toContain('plumbline_reloads_total{result="ok"} 1')
    expect(text).toContain('plumbline_reloads_total{result="failed"} 1')
  })

  test('show the figures of now, and none that is not known', async () => {
    const { metrics } = started()
    const first = await lines(metrics, { sessions: 3, streams: 9 })
    expect(first).toContain('plumbline_sessions 3')
    expect(first).toContain('plumbline_streams_total 9')
    expect(first.join('\n')).not.toContain('plumbline_held_bytes')
    const second = await lines(metrics, { sessions: 0, streams: 10, heldBytes: 5 })
    expect(second).toContain('plumbline_sessions 0')
    expect(second).toContain('plumbline_streams_total 10')
    expect(second).toContain('plumbline_held_bytes 5')
  })

  test('say which build it is, and how Node does', async () => {
    const text = await lines(started().metrics)
    expect(text).toContain(`plumbline_build_info{version="1.2.3",node="${process.version}"} 1`)
    expect(text.some((line) => line.startsWith('nodejs_eventloop_lag_p99_seconds '))).toBe(true)
    expect(text.some((line) => line.startsWith('nodejs_heap_size_used_bytes '))).toBe(true)
  })
})

describe('labels', () => {
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', 'a"}\n'))
  const anyEntry = fc.record({
    plugin: anyText,
    action: anyText,
    phase: fc.constantFrom('request', 'response'),
    reason: anyText,
    shadow: fc.constantFrom(true, undefined),
  })
  const anyRecord = fc.record({
    direction: anyText,
    phase: anyText,
    durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    invocations: fc.array(anyEntry, { maxLength: 20 }),
  })

  test('have few values, whatever a record holds', async () => {
    const { metrics } = started()
    const watch = metrics.begins(undefined, NO_HEAD)
    fc.assert(
      fc.property(anyRecord, (over) => {
        watch.ends(recordOf(over as unknown as Partial<ExchangeRecord>))
      }),
      { numRuns: 1000 },
    )
    const text = await lines(metrics)
    const decisions = text.filter((line) => line.startsWith('plumbline_plugin_decisions_total'))
    // 64 plugins and `other`, one action, one reason, shadow or not; `sumUp` adds none.
    expect(decisions.length).toBeLessThanOrEqual(65 * 2)
    expect(decisions.length).toBeGreaterThan(60)
    expect(decisions.every((line) => line.includes('reason="other"'))).toBe(true)
    expect(text.filter((line) => line.startsWith('plumbline_exchanges_total')).length).toBeLessThanOrEqual(3 * 8)
    expect(text.length).toBeLessThan(1000)
  })

  test('name every reason that is documented', () => {
    const documented = ['docs/record.md', 'src/gates/ibac/README.md', 'src/gates/sparc/README.md'].flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      const pairs = [...text.matchAll(/`(?:allow|deny|skip|modify|observe|failed)\/([a-z_]+)`/g)]
      const rows = /^\| `reason` of a (?:failure|skip)[\s\S]*?\n\n/gm
      const tables = [...text.matchAll(rows)].flatMap(([table]) => [...table.matchAll(/^\| (`[^|]+) \|/gm)])
      const named = tables.flatMap(([, cell = '']) => [...cell.matchAll(/`([a-z_]+)`/g)])
      return [...pairs, ...named].map(([, reason = '']) => reason).filter((reason) => reason !== 'reason')
    })
    expect(documented.length).toBeGreaterThan(40)
    expect(documented.filter((reason) => knownReason(reason) === 'other')).toEqual([])
  })

  test.each(['anything', '', 'toString'])('of an unknown reason %j are other', (reason) => {
    expect(knownReason(reason)).toBe('other')
  })
})
