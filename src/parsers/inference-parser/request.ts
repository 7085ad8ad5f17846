import type { Action, Home } from '../../core/action.ts'
import type { Body, Exchange } from '../../core/exchange.ts'
import type { NonEmpty, ReadResult, Reading } from '../../core/plugin.ts'
import type { Lesson } from '../../core/session.ts'
import { isPlainlyAddressed } from '../../http/overrides.ts'
import { loosestPath } from '../../http/paths.ts'
import { mistakable } from '../../json/fold.ts'
import { isObject } from '../../json/rpc.ts'
import { readJson } from '../../json/strict.ts'
import { glimpses, unreadableBytes } from '../kit/claim.ts'
import { plainRefusal } from '../kit/refusal.ts'
import type { Dialect, InferenceRequest, JsonObject, Sight } from './dialect.ts'
import { dialectsOf, settle } from './dialects.ts'

/** A request, and the dialect in which its answer will be. */
export interface Read {
  readonly result: ReadResult
  readonly dialect: Dialect | undefined
}

/** A record names what was read; it is no place for a payload that calls itself a model. */
const SHOWN_CHARACTERS = 128

const none = (result: ReadResult): Read => ({ result, dialect: undefined })
const notMine = none({ kind: 'not-mine' })
const unreadable = (why: string): Read => none({ kind: 'unreadable', code: 'plumbline.unreadable', why })

export function readRequest(x: Exchange, body: Body, home: Home): Read {
  if (body.kind === 'none') return none(lookUp(x, home))
  if (body.kind === 'unread') return notMine
  const sight = sightOf(x, body, home)
  const showsRpc = sight.members.has('jsonrpc')
  const possible = dialectsOf(sight)
  if (possible === undefined) return home === 'own' && !showsRpc ? readUnknown(x, body, sight) : notMine
  const wrong = unreadableBytes(x, body)
  if (wrong !== undefined) return none(wrong)
  // A server of either protocol would act on it, each in its own way.
  if (showsRpc) return unreadable('two protocols in one message')
  return body.kind === 'whole' ? readKnown(x, body.bytes, possible, home) : notMine
}

function sightOf(x: Exchange, body: Body, home: Home): Sight {
  const members = new Set(glimpses(x, body).flatMap(({ keys }) => [...keys]))
  return { path: loosestPath(x.request.path).replace(/\/$/, ''), home, members }
}

/** Where providers keep answers, and what is to become one. */
const KEPT_ANSWERS = /\/(?:responses|completions|messages|batches|conversations|threads)(?:\/|$)/

/** Lists of models and the like, on hosts that serve nothing else; and answers that are fetched later. */
function lookUp(x: Exchange, home: Home): ReadResult {
  if (home !== 'own') return { kind: 'not-mine' }
  const { method, headers, path } = x.request
  const looks = (method === 'GET' || method === 'HEAD') && isPlainlyAddressed(headers)
  const answers = method !== 'HEAD' && KEPT_ANSWERS.test(loosestPath(path))
  if (!looks) return answers ? unclassified(x) : { kind: 'not-mine' }
  return reading({ kind: 'mechanics', what: method, effect: 'read', home }, [], {}, answers ? 'unreadable' : undefined)
}

/** What nobody claims, on a host that serves models: to a gate it is the same as anywhere, but its answer may propose. */
function unclassified(x: Exchange): Reading {
  const effect = x.request.method === 'GET' ? 'read' : 'write'
  const action = { kind: 'unclassified', effect, home: 'unstated' } as const
  return { ...reading(action, [], { dialect: 'unknown' }, 'unreadable'), sure: false }
}

function readKnown(x: Exchange, bytes: Uint8Array, possible: NonEmpty<Dialect>, home: Home): Read {
  const json = readJson(bytes)
  if (!json.ok) return unreadable(json.why)
  if (!isObject(json.value)) return unreadable('no object')
  const dialect = settle(possible, json.value, x.request.headers)
  if (mistakable(json.value, dialect.members) !== undefined) return unreadable('two keys are the same but for case')
  const beside = home === 'own' ? undefined : besideOf(json.value, dialect)
  return { result: inferenceReading(dialect.name, dialect.read(json.value), home, beside), dialect }
}

/** The members in which no model looks for a conversation. Two keys are soon added to what another server reads. */
function besideOf(body: JsonObject, dialect: Dialect): JsonObject | undefined {
  const rest = Object.entries(body).filter(([key, value]) => !dialect.members.has(key) || isObject(value))
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

/** Whatever it is: nobody here can say that it proposes nothing. */
const UNKNOWN: InferenceRequest = { model: '', firstUserText: '', conversation: undefined, proposes: 'unreadable' }

/** JSON of no known dialect on an inference host. What is JSON only for some readers is not vouched for. */
function readUnknown(x: Exchange, body: Body, { home, members }: Sight): Read {
  const readable = body.kind === 'whole' && unreadableBytes(x, body) === undefined && readJson(body.bytes).ok
  if (readable) return none(inferenceReading('unknown', UNKNOWN, home))
  return members.size === 0 ? notMine : none(unclassified(x))
}

function inferenceReading(dialect: string, request: InferenceRequest, home: Home, beside?: JsonObject): Reading {
  const { model, conversation, proposes } = request
  const details = { dialect, model: model.slice(0, SHOWN_CHARACTERS) }
  const action = actionOf(request, home, beside)
  // Where words are not read that far, they may tell of results.
  if (conversation === undefined)
    return reading(action, proposes === 'unreadable' ? [{ kind: 'unseen-result' }] : [], details, proposes)
  const { messages, tools } = conversation
  const lesson = { kind: 'inference', model, messages, tools } as const
  return reading(action, [lesson], { ...details, messages: messages.length, tools: tools.length }, proposes)
}

function actionOf({ model, firstUserText, housekeeping }: InferenceRequest, home: Home, beside?: JsonObject): Action {
  // It carries a conversation, so only where conversations go anyway.
  if (housekeeping !== undefined && home === 'own')
    return { kind: 'mechanics', what: housekeeping, effect: 'read', home }
  const said = { kind: 'inference', model, firstUserText, effect: 'write', home } as const
  return beside === undefined ? said : { ...said, beside }
}

function reading(
  action: Action,
  lessons: readonly Lesson[],
  details: Reading['details'],
  proposes?: Reading['proposes'],
): Reading {
  return {
    kind: 'read',
    actions: [action],
    method: undefined,
    sure: true,
    hint: undefined,
    lessons,
    details,
    ...(proposes === undefined ? {} : { proposes }),
    refuse: plainRefusal,
  }
}
