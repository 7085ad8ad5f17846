import type { AnswerHead } from '../core/exchange.ts'
import type { AnswerReader } from '../core/plugin.ts'
import type { Lesson } from '../core/session.ts'
import type { PlainCall } from '../http/plain-call.ts'
import { mayBeText, textOfBody } from '../http/text.ts'

const UNSEEN: Lesson = { kind: 'unseen-result' }

/**
 * Reads the answer to a message that no parser claimed as what a tool answered, for gates that look at results: at most
 * `maxBytes` of it. Pictures and the like are not asked for, and count as a result that was not seen.
 */
export function readHttpResult(call: PlainCall, answer: AnswerHead, maxBytes: number): AnswerReader | 'not_text' {
  if (!mayBeText(answer.headers)) return 'not_text'
  const pieces: Uint8Array[] = []
  let bytes = 0
  let over = false
  return {
    feed(piece) {
      const taken = piece.subarray(0, maxBytes - bytes)
      over ||= taken.length < piece.length
      bytes += taken.length
      if (taken.length > 0) pieces.push(taken)
      return []
    },
    end(how) {
      const read = textOfBody(answer.headers, Buffer.concat(pieces))
      const cut = how === 'cut' || over
      const lessons = read === undefined || read.text === '' ? [] : [resultOf(call, read.text, cut)]
      const seen = read !== undefined && !read.damaged && !cut
      return {
        lessons: seen ? lessons : [...lessons, UNSEEN],
        details: { tool: call.tool, answer: read === undefined ? 'not_text' : 'text', ...(cut ? { cut } : {}) },
      }
    },
  }
}

function resultOf({ tool, args }: PlainCall, text: string, cut: boolean): Lesson {
  return { kind: 'tool-result', tool, args, text, ...(cut ? { cut } : {}) }
}
