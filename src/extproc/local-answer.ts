import { PLUMBLINE_CODES } from '../core/errors.ts'
import type { PlumblineCode } from '../core/errors.ts'
import type { Answer } from '../core/ruling.ts'
import { nameProblem, validValue } from './header-rules.ts'

declare const checked: unique symbol

/** An answer that reaches the client as it is written. */
export type LocalAnswer = Answer & { readonly [checked]: true }

const EMPTY = new Uint8Array(0)

/**
 * Total, since a refusal must always go out: what Envoy would turn into something else is repaired to the safe side.
 * Without a status from 200 on the client would see 200; a body with 204 or 304 would be read as the next answer.
 */
export function localAnswer(answer: Answer): LocalAnswer {
  const status = Number.isInteger(answer.status) && answer.status >= 200 && answer.status <= 599 ? answer.status : 500
  const safe: Answer = {
    status,
    headers: answer.headers.filter(([name, value]) => nameProblem(name) === undefined && validValue(value)),
    body: status === 204 || status === 304 ? EMPTY : answer.body,
    details: answer.details.replaceAll(/[^\w.:-]/g, '_'),
  }
  return safe as LocalAnswer
}

/** The refusal of last resort, for when the handler cannot even say no. */
export function bareRefusal(code: PlumblineCode): LocalAnswer {
  const { status, message } = PLUMBLINE_CODES[code]
  return localAnswer({
    status,
    headers: [['content-type', 'application/json']],
    body: Buffer.from(JSON.stringify({ error: code, message, plugin: 'plumbline' })),
    details: code,
  })
}
