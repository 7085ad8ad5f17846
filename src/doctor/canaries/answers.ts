import { isTree, textAt } from '../envoy/tree.ts'
import type { CanaryAnswer } from './send.ts'

/** What an answer to a canary says about the way it went. */
export type Way =
  /** Plumbline refused it, with this code. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Envoy answered, because there was no verdict. */
  | { readonly kind: 'no-verdict'; readonly status: number }
  /** Envoy answered that nothing leads there, or a server answered with nothing. */
  | { readonly kind: 'not-found' }
  /** It went on: a server answered, or Envoy did not reach one. */
  | { readonly kind: 'passed'; readonly status: number; readonly text: string }
  | { readonly kind: 'unanswered'; readonly why: string; readonly cut: boolean }

/** What Envoy answers when its processor fails: `status_on_error`, or 504 for a time-out; never with a body. */
const FAILED = [500, 503, 504]

export function wayOf(answer: CanaryAnswer): Way {
  if (answer.kind === 'none') return { kind: 'unanswered', why: answer.why, cut: answer.cut }
  const { status, text } = answer
  const code = codeIn(text)
  if (code !== undefined) return { kind: 'refused', code }
  if (text === '' && FAILED.includes(status)) return { kind: 'no-verdict', status }
  if (text === '' && status === 404) return { kind: 'not-found' }
  return { kind: 'passed', status, text: text.slice(0, 200) }
}

const CODE = /^[a-z][a-z0-9_-]*\.[a-z_]+$/

/** Our code in a refusal: of plain HTTP, or of JSON-RPC. */
function codeIn(text: string): string | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isTree(json)) return undefined
  const code = textAt(json, 'error') ?? textAt(json, 'error', 'data', 'reason')
  return code !== undefined && CODE.test(code) && text.includes('request_id') ? code : undefined
}
