import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ExchangeRecord, Invocation } from '../core/record.ts'
import { FAILURES, type Asked, type Checker, type ExchangeWatch, type Telemetry } from '../core/telemetry.ts'
import { showFigures, type Figures } from './figures.ts'
import { OUTCOMES, sumUp } from './outcome.ts'
import { knownReason } from './reasons.ts'
import { createTally, type Tally } from './tally.ts'

export interface MetricsOptions {
  readonly version: string
  /** Milliseconds, monotone. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

export interface Metrics extends Telemetry {
  /** A configuration was read anew: it is in force now, or the old one stays. */
  reloaded(ok: boolean): void
  /** For Prometheus. `figures`: asked once, for the state of now. */
  scrape(figures: () => Figures): Promise<Scrape>
}

export interface Scrape {
  readonly text: string
  readonly type: string
}

const CHECKERS: readonly Checker[] = ['judge', 'reflector']
const ACTIONS: ReadonlySet<string> = new Set(['allow', 'deny', 'skip', 'modify', 'observe', 'failed'])
const DIRECTIONS = ['inbound', 'outbound', 'unknown'] as const
type Side = (typeof DIRECTIONS)[number]

/** Ids come from configurations, and each reload may bring others. */
const MAX_PLUGINS = 64

const VERDICT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const EXCHANGE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const QUESTION_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30]

/** Counts what happens. Every label has few values, whatever a record holds. */
export function createMetrics({ version, now, clock }: MetricsOptions): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const counts = createCounts(registry)
  const durations = createDurations(registry)
  const running = createRunning(registry)
  const lastGood = gauge(registry, 'plumbline_last_good_configuration_timestamp_seconds', LAST_GOOD_HELP)
  lastGood.set(clock() / 1000)
  gauge(registry, 'plumbline_build_info', 'Version', ['version', 'node']).set({ version, node: process.version }, 1)
  let figures: Figures = {}
  showFigures(registry, () => figures)
  const pluginOf = firstFew(MAX_PLUGINS, (plugin) => {
    counts.failedOpen.show(plugin)
    counts.failedClosed.show(plugin)
  })

  const count = (record: ExchangeRecord): void => {
    const direction = DIRECTIONS.find((each) => each === record.direction) ?? 'unknown'
    const { outcome, failedOpen, failedClosed } = sumUp(record)
    counts.exchanges.add(direction, outcome)
    durations.exchange[direction](record.durationMs)
    for (const each of record.invocations) countDecision(counts.decisions, pluginOf(each.plugin), each)
    for (const plugin of failedOpen) counts.failedOpen.add(pluginOf(plugin))
    for (const plugin of failedClosed) counts.failedClosed.add(pluginOf(plugin))
  }
  const answered = (what: Checker, began: number, how: Asked): void => {
    running.dec({ to: what })
    counts.questions.add(what, how.outcome)
    if (how.failure !== undefined) counts.failures.add(what, how.failure)
    durations.question[what](now() - began)
    if (how.inputTokens !== undefined) counts.tokens.addSome(how.inputTokens, what, 'input')
    if (how.outputTokens !== undefined) counts.tokens.addSome(how.outputTokens, what, 'output')
  }
  const watch = (direction: Side): ExchangeWatch => ({
    asks: ({ what }) => {
      const began = now()
      running.inc({ to: what })
      return (how) => {
        answered(what, began, how)
      }
    },
    recalls: (what, found) => {
      counts.recalled.add(what, found ? 'hit' : 'miss')
    },
    decides: durations.verdict[direction],
    ends: count,
  })
  // One for each direction does for all exchanges: there is nothing to remember between its calls.
  const watches = { inbound: watch('inbound'), outbound: watch('outbound'), unknown: watch('unknown') }
  return {
    begins: (caller) => watches[caller?.direction ?? 'unknown'],
    reloaded: (ok) => {
      counts.reloads.add(ok ? 'ok' : 'failed')
      if (ok) lastGood.set(clock() / 1000)
    },
    scrape: async (ask) => {
      figures = ask()
      return { text: await registry.metrics(), type: registry.contentType }
    },
  }
}

function countDecision(decisions: Tally, plugin: string, { action, reason, shadow }: Invocation): void {
  const known = ACTIONS.has(action) ? action : 'other'
  decisions.add(plugin, known, knownReason(reason), shadow === true ? 'true' : 'false')
}

function createCounts(registry: Registry) {
  const tally = (name: string, help: string, labels: readonly string[]): Tally =>
    createTally({ name, help, labels, registry })
  const counts = {
    exchanges: tally('plumbline_exchanges_total', 'Exchanges that ended', ['direction', 'outcome']),
    decisions: tally('plumbline_plugin_decisions_total', 'What plugins did', ['plugin', 'action', 'reason', 'shadow']),
    failedOpen: tally(
      'plumbline_failed_open_total',
      'Exchanges in which something passed without the plugin’s verdict',
      ['plugin'],
    ),
    failedClosed: tally(
      'plumbline_failed_closed_total',
      'Exchanges in which something was refused for want of the plugin’s verdict',
      ['plugin'],
    ),
    questions: tally('plumbline_questions_total', 'Questions to a judge or reflector outside', ['to', 'result']),
    failures: tally('plumbline_question_failures_total', 'Questions without a usable answer', ['to', 'kind']),
    recalled: tally('plumbline_verdict_cache_total', 'Verdicts looked up, by whether one was kept', ['of', 'result']),
    tokens: tally('plumbline_model_tokens_total', 'Tokens that models say they used', ['to', 'kind']),
    reloads: tally('plumbline_reloads_total', 'Configurations read while running', ['result']),
  }
  for (const outcome of OUTCOMES) for (const side of ['inbound', 'outbound']) counts.exchanges.show(side, outcome)
  for (const what of CHECKERS) {
    for (const result of ['answered', 'failed']) counts.questions.show(what, result)
    for (const kind of FAILURES) counts.failures.show(what, kind)
    for (const result of ['hit', 'miss']) counts.recalled.show(what, result)
  }
  for (const result of ['ok', 'failed']) counts.reloads.show(result)
  return counts
}

const LAST_GOOD_HELP = 'When the configuration in force was read'

function gauge<L extends string>(registry: Registry, name: string, help: string, labelNames: L[] = []): Gauge<L> {
  return new Gauge({ name, help, labelNames, registers: [registry] })
}

function createRunning(registry: Registry): Gauge<'to'> {
  const running = gauge(registry, 'plumbline_questions_running', 'Questions that wait for an answer', ['to'])
  for (const to of CHECKERS) running.set({ to }, 0)
  return running
}

type Milliseconds = (ms: number) => void

function createDurations(registry: Registry) {
  const histogram = <V extends string>(
    name: string,
    help: string,
    label: string,
    values: readonly V[],
    buckets: number[],
  ): Record<V, Milliseconds> => {
    const all = new Histogram({ name, help, labelNames: [label], buckets, registers: [registry] })
    const observing = (value: V): readonly [V, Milliseconds] => {
      const child = all.labels(value)
      return [
        value,
        (ms) => {
          child.observe(ms / 1000)
        },
      ]
    }
    return Object.fromEntries(values.map(observing)) as Record<V, Milliseconds>
  }
  return {
    verdict: histogram(
      'plumbline_verdict_duration_seconds',
      'From a complete request to our word on it',
      'direction',
      DIRECTIONS,
      VERDICT_SECONDS,
    ),
    exchange: histogram(
      'plumbline_exchange_duration_seconds',
      'From the head of a request to the end of its answer',
      'direction',
      DIRECTIONS,
      EXCHANGE_SECONDS,
    ),
    question: histogram(
      'plumbline_question_duration_seconds',
      'From a question to its answer or failure',
      'to',
      CHECKERS,
      QUESTION_SECONDS,
    ),
  }
}

/** The first names as they are, later ones as `other`; `onNew` is told of each that is shown. */
function firstFew(limit: number, onNew: (name: string) => void): (name: string) => string {
  const known = new Set<string>()
  return (name) => {
    if (known.has(name)) return name
    if (known.size >= limit) return 'other'
    known.add(name)
    onNew(name)
    return name
  }
}
