import type { Action } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import { overridesIn } from '../../http/overrides.ts'
import { contentOf, fingerprint, mediaTypeOf } from './body.ts'
import { isProposed } from './proposed.ts'
import { newSearch, shorten, shortenText, type Search } from './shorten.ts'

/** An action as a judge is shown it. Of the headers it has the media type, and what replaces the method or path. */
export interface Description {
  /** One JSON object. */
  readonly json: string
  /** Size of what the action is, after shortening; the request line is not counted. */
  readonly actionBytes: number
  /** False: something of the action is not in it, since it is too long, no text, or was not read. */
  readonly whole: boolean
}

export interface DescribeOptions {
  readonly maxActionBytes: number
  /** Texts that must not be shown, wherever they stand. */
  readonly secrets: readonly string[]
}

const BODY_TEXT_CHARACTERS = 4000
const MEDIA_TYPE_CHARACTERS = 100
/** What is shorter is a placeholder; to blank it would blank words and hosts with it. */
const SHORTEST_SECRET = 12
const HIDDEN = '[secret]'

export function describe(action: Action, x: Exchange, options: DescribeOptions): Description {
  const hide = hider(options.secrets)
  const search = newSearch()
  const content = subjectOf(action, x, { hide, search })
  const subject = JSON.stringify(content.shown)
  const actionBytes = Buffer.byteLength(subject)
  const fits = actionBytes <= options.maxActionBytes
  const shown = fits ? content.shown : { cut: firstBytes(subject, options.maxActionBytes), of_bytes: actionBytes }
  return {
    json: JSON.stringify({ ...frameOf(action, x, hide), action: shown }, undefined, 1),
    actionBytes,
    whole: fits && content.whole && search.charactersLeft >= 0,
  }
}

/** What it is, and the request that carries it: a call that a model only proposes is in none yet. */
function frameOf(action: Action, x: Exchange, hide: Hide): Readonly<Record<string, unknown>> {
  if (isProposed(action)) return { kind: 'tool call that a language model proposes, not sent yet' }
  return { kind: KIND_WORDS[action.kind], http: requestLine(x, hide) }
}

const KIND_WORDS: Readonly<Record<Action['kind'], string>> = {
  'tool-call': 'tool call',
  request: 'request',
  inference: 'question to a language model',
  mechanics: 'protocol housekeeping',
  unclassified: 'plain HTTP request',
}

interface Subject {
  readonly shown: unknown
  readonly whole: boolean
}

type Hide = (value: unknown) => unknown

interface Pen {
  readonly hide: Hide
  readonly search: Search
}

function subjectOf(action: Action, x: Exchange, pen: Pen): Subject {
  const written = (value: unknown): Subject => ({ shown: shorten(pen.hide(value), pen.search), whole: true })
  switch (action.kind) {
    case 'tool-call':
      return written({ tool: action.tool, arguments: action.args })
    case 'request':
      return written({ what: action.what, arguments: action.args })
    case 'inference':
      return written({ model: action.model, first_user_message: action.firstUserText, beside: action.beside })
    case 'mechanics':
      return bodySubject({ what: action.what, effect: 'read' }, x, pen)
    case 'unclassified':
      return bodySubject({}, x, pen)
  }
}

function bodySubject(beside: Readonly<Record<string, unknown>>, x: Exchange, { hide, search }: Pen): Subject {
  const content = contentOf(x)
  switch (content.kind) {
    case 'none':
      return { shown: beside, whole: true }
    case 'keyed':
      return { shown: { ...beside, body: shorten(hide(content.value), search) }, whole: true }
    case 'text':
      return {
        shown: { ...beside, body: shortenText(String(hide(content.text)), BODY_TEXT_CHARACTERS, search) },
        whole: true,
      }
    case 'opaque':
      return { shown: { ...beside, body: 'not shown: no text that can be read here' }, whole: false }
  }
}

function requestLine(x: Exchange, hide: Hide): Readonly<Record<string, unknown>> {
  const { method, scheme, authority, path, query, headers } = x.request
  // What stands before an @ is a password, and the host that bytes go to stands after it.
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const url = `${scheme}://${host}${path}${query === '' ? '' : `?${query}`}`
  const print = fingerprint(x.body)
  const overrides = overridesIn(headers)
  return {
    method,
    // In full: where an action goes is the last thing to shorten, and heads are small.
    url: hide(url),
    ...(overrides.length === 0 ? {} : { replaced_by_header: hide(overrides.map((pair) => pair.join(': '))) }),
    media_type: mediaTypeOf(x)?.slice(0, MEDIA_TYPE_CHARACTERS),
    ...(print === undefined ? {} : { body_bytes: print.bytes, body_sha256: print.sha256 }),
  }
}

/** Takes secrets out of every text of a value, before anything is cut: half a secret is still one. */
function hider(secrets: readonly string[]): Hide {
  const texts = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
  if (texts.length === 0) return (value) => value
  const hideIn = (text: string): string => texts.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return hideIn(value)
    if (Array.isArray(value)) return value.map(hide)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [hideIn(key), hide(item)]))
  }
  return hide
}

function firstBytes(text: string, bytes: number): string {
  // A character that the cut goes through is dropped.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).replace(/\uFFFD$/u, '')
}
