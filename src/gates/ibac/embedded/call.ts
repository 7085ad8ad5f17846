import type { Action } from '../../../core/action.ts'
import type { Exchange } from '../../../core/exchange.ts'
import { overridesMethod } from '../../../http/overrides.ts'
import { contentOf } from '../body.ts'
import { namesIn } from '../names.ts'
import { isProposed } from '../proposed.ts'

/** An action as a call of something with arguments, whatever carries it. */
export interface Call {
  readonly tool: string
  readonly args: unknown
  /** The arguments alone, without where they go. */
  readonly given: unknown
  /** It goes to a server that is not the agent's own tool box. */
  readonly goesOut: boolean
}

/** Undefined: what it carries cannot be read. */
export function callOf(action: Action, x: Exchange): Call | undefined {
  const goesOut = action.home !== 'own' && !isProposed(action)
  switch (action.kind) {
    case 'tool-call':
      return called(action.tool, action.args, goesOut, x)
    case 'request':
      return called(action.what, action.args, goesOut, x)
    case 'inference':
      return called('ask', { text: action.firstUserText, ...action.beside }, goesOut, x)
    case 'mechanics':
    case 'unclassified':
      return plainHttp(action, x)
  }
}

function called(tool: string, args: unknown, goesOut: boolean, x: Exchange): Call {
  return { tool, args: goesOut ? { host: x.request.authority, args } : args, given: args, goesOut }
}

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get_url',
  HEAD: 'get_url',
  PUT: 'update_http',
  PATCH: 'update_http',
  DELETE: 'delete_http',
}

function plainHttp(action: Action, x: Exchange): Call | undefined {
  const content = contentOf(x)
  if (content.kind === 'opaque') return undefined
  const body = content.kind === 'none' ? undefined : content.kind === 'keyed' ? content.value : content.text
  return { tool: verbOf(action, x, body !== undefined), args: { ...addressOf(x), body }, given: body, goesOut: true }
}

/** A method that some servers replace says nothing, and a body that comes with a GET is sent all the same. */
function verbOf(action: Action, { request }: Exchange, hasBody: boolean): string {
  if (action.kind === 'mechanics') return 'get_url'
  const verb = VERBS[request.method] ?? 'send_http'
  const isSure = !overridesMethod(request.headers) && !(verb === 'get_url' && hasBody)
  return isSure ? verb : 'send_http'
}

function addressOf({ request }: Exchange): Readonly<Record<string, unknown>> {
  const query = [...new URLSearchParams(request.query)].flat()
  return {
    url: `${request.scheme}://${request.authority}${request.path}${request.query === '' ? '' : `?${request.query}`}`,
    // An address inside the address may be where it really goes.
    query,
    link: namesIn([request.path, decoded(request.path)].join(' ')).urls,
  }
}

/** What stands behind percent signs, where that can be said. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
