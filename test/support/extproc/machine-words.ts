import type { HeaderPair } from '../../../src/core/exchange.ts'
import { checkEdits, NO_EDITS } from '../../../src/extproc/edits.ts'
import { bareRefusal } from '../../../src/extproc/local-answer.ts'
import { step } from '../../../src/extproc/machine.ts'
import { START } from '../../../src/extproc/state.ts'
import type { Input, Machine, Order } from '../../../src/extproc/state.ts'
import type { Reply, ShownModes } from '../../../src/extproc/messages.ts'

/** Words for scripts of the machine: what comes in as constants, what is ordered as short texts. */

export const SHOWN: ShownModes = { request: 'buffered', response: 'buffered', early: false }
const SOME_EDITS = checkEdits({ set: [['x-a', '1']], remove: [] })
const NO = bareRefusal('plumbline.plugin_failed')

// ---- a script's words ----

export const head = (last = false, modes: ShownModes | undefined = SHOWN): Input => ({
  kind: 'ask',
  ask: { kind: 'head', half: 'request', pairs: [], last, modes },
})
export const older = (last = false): Input => ({
  kind: 'ask',
  ask: { kind: 'head', half: 'request', pairs: [], last, modes: undefined },
})
export const body = (text: string, last = true): Input => ({
  kind: 'ask',
  ask: { kind: 'body', half: 'request', bytes: Buffer.from(text), last },
})
export const trailers: Input = { kind: 'ask', ask: { kind: 'trailers', half: 'request' } }
export const answerHead = (last = false, ...pairs: HeaderPair[]): Input => ({
  kind: 'ask',
  ask: { kind: 'head', half: 'response', pairs, last, modes: undefined },
})
export const sizedHead = answerHead(false, ['content-length', '9'])
export const answerBody = (text: string, last = false): Input => ({
  kind: 'ask',
  ask: { kind: 'body', half: 'response', bytes: Buffer.from(text), last },
})
export const answerTrailers: Input = { kind: 'ask', ask: { kind: 'trailers', half: 'response' } }
export const nothing: Input = { kind: 'ask', ask: { kind: 'nothing' } }
export const observing: Input = { kind: 'ask', ask: { kind: 'observing' } }
export const whole: Input = { kind: 'head-verdict', edits: NO_EDITS, body: 'whole' }
export const exempt: Input = { kind: 'head-verdict', edits: NO_EDITS, body: 'none' }
export const pass: Input = { kind: 'body-verdict', edits: NO_EDITS }
export const passEdited: Input = { kind: 'body-verdict', edits: SOME_EDITS }
export const unread: Input = { kind: 'answer-verdict', body: 'none' }
export const streamed: Input = { kind: 'answer-verdict', body: 'stream' }
export const held: Input = { kind: 'answer-verdict', body: 'whole' }
export const edit: Input = { kind: 'answer-verdict', body: 'edit', edits: SOME_EDITS }
export const keep: Input = { kind: 'answer-body-verdict', replace: undefined }
export const replace: Input = {
  kind: 'answer-body-verdict',
  replace: { edits: SOME_EDITS, body: Buffer.from('other') },
}
export const write = (text: string): Input => ({ kind: 'edited', bytes: Buffer.from(text) })
export const finish: Input = { kind: 'finished' }
export const breakOff: Input = { kind: 'broken' }
export const refuse: Input = { kind: 'refuse', answer: NO }
export const stop: Input = { kind: 'stop' }
export const halfClosed: Input = { kind: 'half-closed' }
export const gone: Input = { kind: 'gone' }

/** One word or two for an order. */
export function word(order: Order): string {
  switch (order.kind) {
    case 'judge-head':
      return `judge head${order.bodyless ? ' bodyless' : ''}`
    case 'judge-body':
      return `judge body ${Buffer.from(order.bytes).toString()}`.trimEnd()
    case 'judge-answer':
      return `judge answer${order.form === 'rewritable' ? '' : ` ${order.form}`}`
    case 'judge-answer-body':
      return `judge answer body ${Buffer.from(order.bytes).toString()}`.trimEnd()
    case 'open-editor':
      return 'open editor'
    case 'feed':
      return `feed ${Buffer.from(order.bytes).toString()}${order.last ? ' last' : ''}`
    case 'read':
      return `read ${Buffer.from(order.bytes).toString()}${order.last ? ' last' : ''}`
    case 'give-up':
      return `give up ${order.code}${order.unseen === undefined ? '' : ' unseen'}`
    case 'end':
      return `end ${order.how} ${order.close.kind === 'error' ? order.close.code : order.close.kind}`
    case 'reply':
      return replyWord(order.reply)
  }
}

function replyWord(reply: Reply): string {
  switch (reply.kind) {
    case 'local':
      return 'local'
    case 'piece':
      return `piece ${Buffer.from(reply.bytes).toString()}${reply.first ? ' first' : ''}${reply.last ? ' last' : ''}`
    case 'head':
      return `${reply.half} head${reply.modes ? ` ${reply.modes.request}/${reply.modes.response}` : ''}`
    case 'body': {
      if (reply.half === 'request' || reply.replacement === undefined) return `${reply.half} body`
      const { body, sized } = reply.replacement
      return `response body = ${Buffer.from(body).toString()}${sized ? ' sized' : ''}`
    }
    case 'trailers':
      return `${reply.half} trailers`
  }
}

export function run(inputs: readonly Input[]): { readonly machine: Machine; readonly words: readonly string[] } {
  let machine = START
  const words: string[] = []
  for (const input of inputs) {
    const stepped = step(machine, input)
    machine = stepped.machine
    words.push(...stepped.orders.map(word))
  }
  return { machine, words }
}
