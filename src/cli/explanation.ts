import { type CodeInfo, type Fault, PLUMBLINE_CODES } from '../core/errors.ts'
import type { ExchangeRecord, Invocation } from '../core/record.ts'
import { oneLine } from '../gates/sparc/bounds.ts'
import { PLUGIN_TYPES } from './plugins.ts'

/** A record in plain sentences. What others wrote (a judge, a service, a client) is quoted, and kept to one line. */
export function explanation(record: ExchangeRecord): string {
  return [
    ended(record),
    request(record),
    session(record),
    'What each plugin did:',
    ...record.invocations.map(entry),
    ...advice(record),
  ].join('\n')
}

const CODES: ReadonlyMap<string, CodeInfo> = new Map(
  [PLUMBLINE_CODES, ...PLUGIN_TYPES.map(({ codes }) => codes)].flatMap((codes) => Object.entries<CodeInfo>(codes)),
)

const QUOTED_CHARACTERS = 500

const quoted = (text: string): string => JSON.stringify(oneLine(text, QUOTED_CHARACTERS))

// ---- how it ended ----

function ended(record: ExchangeRecord): string {
  const { phase, statusCode, refusal } = record
  if (phase === 'denied') {
    if (refusal === undefined) return `Refused with ${statusCode}.`
    const words = CODES.get(refusal.code)?.message
    return `Refused by ${refusal.plugin} with ${statusCode} ${refusal.code}${words === undefined ? '' : `: ${words}`}`
  }
  const withheld = record.invocations.filter((each) => each.phase === 'response' && refuses(each))
  if (withheld.length > 0) return `Passed, but ${count(withheld.length, 'part')} of its answer (${statusCode}) did not.`
  if (record.invocations.some(unchecked))
    return `Passed without a check that it should have had (${statusCode ?? 'no answer'}).`
  if (phase === 'request') return 'Ended before an answer came: the client or Envoy left, or Envoy got no verdict.'
  const shadows = record.invocations.filter((each) => each.shadow === true && isNo(each))
  const would = shadows.length === 0 ? '' : ` ${names(shadows)} would have refused it, and only ${plural(shadows)}.`
  return `Passed; answered with ${statusCode}.${would}`
}

const plural = (shadows: readonly Invocation[]): string =>
  new Set(shadows.map(({ plugin }) => plugin)).size === 1 ? 'observes' : 'observe'

const names = (entries: readonly Invocation[]): string => [...new Set(entries.map(({ plugin }) => plugin))].join(', ')

const count = (number: number, what: string): string => (number === 1 ? `one ${what}` : `${number} ${what}s`)

const isNo = ({ action }: Invocation): boolean => action === 'deny' || action === 'modify'
const refuses = (each: Invocation): boolean => isNo(each) && each.shadow !== true
const unchecked = ({ details }: Invocation): boolean => details?.['passed'] === true

// ---- what it was ----

function request({
  direction,
  workload,
  method,
  host,
  path,
  at,
  durationMs,
  requestId,
  traceId,
}: ExchangeRecord): string {
  const what = method === '' ? 'a request that Envoy did not show' : quoted(`${method} ${host}${path}`)
  const trace = traceId === undefined ? '' : `, trace ${traceId}`
  return `It was ${what}, ${direction}, of workload ${quoted(workload)}, at ${at}, and took ${Math.round(durationMs)} ms (request ${quoted(requestId)}${trace}).`
}

const FOUND: Readonly<Record<string, string>> = {
  handle: 'by the handle that the agent passed on',
  trace: 'by its trace id',
  in_flight: 'since it is the only one with an open or recent exchange',
  live: 'since it is the only one that lives',
  context: 'by the conversation that the message names',
  task: 'by the task that the message names',
  new: 'as a new one',
}

function session({ session: { method, certainty }, sessionId }: ExchangeRecord): string {
  const how = FOUND[method] ?? `(${method})`
  switch (certainty) {
    case 'exact':
      return `Its session is ${sessionId}, found ${how}: that is certain.`
    case 'inferred':
      return `Its session is probably ${sessionId}, found ${how}.`
    case 'ambiguous':
      return `It could belong to several sessions (${method}): the agent did not pass on handle or trace.`
    case 'lost':
      return 'It belongs to a session that is gone: expired, evicted, or of a process before a restart.'
    case 'none':
      return 'It belongs to no session that is known: nobody had asked this workload for anything.'
  }
}

// ---- what each did ----

const DID: Readonly<Record<Invocation['action'], string>> = {
  allow: 'allowed',
  deny: 'refused',
  skip: 'did nothing',
  modify: 'refused with words for the model',
  observe: 'looked',
  failed: 'could not do its work',
}

/** Details that say why, in the order in which they are told. */
const TELLING: readonly (readonly [key: string, words: string])[] = [
  ['llm_reason', 'the judge said'],
  ['judge_failure', 'the judge had no answer'],
  ['reflector_failure', 'the reflector had no answer'],
  ['why', 'because'],
  ['method', 'method'],
  ['tool', 'tool'],
  ['score', 'score'],
  ['model', 'model'],
  ['latency_ms', 'milliseconds'],
]

function entry({ plugin, action, phase, reason, details, actionId, shadow, cached }: Invocation): string {
  const where = phase === 'response' ? ' in the answer' : actionId === undefined ? '' : ` action ${actionId}`
  const marks = [
    ...(shadow === true ? ['only observing: it did not happen'] : []),
    ...(cached === true ? ['from a verdict that was at hand'] : []),
    ...(details?.['passed'] === true ? ['it passed unchecked'] : []),
  ]
  const mark = marks.length === 0 ? '' : ` (${marks.join('; ')})`
  const told = TELLING.flatMap(([key, words]) => {
    const value = details?.[key]
    if (typeof value === 'string') return [`${words} ${quoted(value)}`]
    return typeof value === 'number' ? [`${words} ${value}`] : []
  })
  return `  - ${plugin} ${DID[action]}${where}: ${reason}${mark}${told.length === 0 ? '' : `; ${told.join(', ')}`}`
}

// ---- what to do ----

/** By what an operator would have to change. */
const ADVICE: Readonly<Record<string, string>> = {
  'ibac.blocked':
    'the judge does not see that the user asked for this. Read what it said above. If the user did, look at what is ' +
    'counted as intent (ibac: intent_turns), at the session, or at the judge’s model and prompt; a host that needs no ' +
    'check belongs to bypass_hosts.',
  'ibac.judge_uncertain': 'the judge’s model did not answer with a verdict: try another model, or judge_json_mode.',
  'ibac.judge_unavailable': 'the judge cannot be reached or is too slow: look at judge_endpoint and timeout_ms.',
  'ibac.no_intent': 'the agent acted before its user had said anything: no_intent_policy decides on that.',
  'ibac.no_session':
    'the agent acts for nobody who is known. See that requests to the agent pass through the inbound listener, and that ' +
    'it passes x-plumbline-session or traceparent on.',
  'ibac.ambiguous_session':
    'let the agent pass x-plumbline-session or traceparent on with what it sends; ambiguous_session_policy decides else.',
  'sparc.reflected':
    'the call is not supported by the conversation: issues are in the record (--json). skip_tools leaves a tool out.',
  'sparc.blocked':
    'the call is not supported by the conversation: issues are in the record (--json). skip_tools leaves a tool out.',
  'sparc.reflector_unavailable':
    'the reflection service cannot be reached or is too slow: look at reflector_endpoint; fail_policy decides.',
  'sparc.no_inference_context': 'let the agent’s calls to its model pass through Envoy as well, with the same handle.',
}

const BY_FAULT: Readonly<Record<Fault, string>> = {
  peer: 'the message itself is not what may pass here; who sent it has to send another.',
  operator: 'something is not set up as it has to be: "plumbline doctor" looks for it.',
  plugin: 'a check broke down: its cause is in the log beside this request id.',
  us: 'the process was at a limit: see the table of limits in docs/architecture.md, and its metrics.',
}

function advice({ refusal }: ExchangeRecord): readonly string[] {
  if (refusal === undefined) return []
  const info = CODES.get(refusal.code)
  const what = ADVICE[refusal.code] ?? (info === undefined ? undefined : BY_FAULT[info.fault])
  return what === undefined ? [] : [`If this is wrong: ${what}`]
}
