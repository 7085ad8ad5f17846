import { status } from '@grpc/grpc-js'
import type { ServerDuplexStream } from '@grpc/grpc-js'
import type { BodyReply, ExchangeHandler, Ending, GiveUpCode, HeadReply, UnseenHead } from '../core/handler.ts'
import type { ByteBudget } from '../core/byte-budget.ts'
import { checkEdits } from './edits.ts'
import { bareRefusal, localAnswer } from './local-answer.ts'
import { START, step, waitsFor } from './machine.ts'
import type { Close, Input, Order } from './machine.ts'
import type { Ask, Reply } from './messages.ts'
import { encodeReply } from './wire.ts'

export type Call = ServerDuplexStream<Ask, Buffer>

/** What the streams of a server share. */
export interface Surroundings {
  readonly bodies: ByteBudget
  readonly bodyDeadlineMs: number
  readonly warn: (facts: Readonly<Record<string, unknown>>, message: string) => void
  readonly error: (facts: Readonly<Record<string, unknown>>, message: string) => void
  readonly ended: (stream: Stream) => void
}

const WRONG_MODE_ADVICE =
  'Envoy does not show what has to be checked: set processing_mode.request_body_mode and response_body_mode to ' +
  'BUFFERED, allow_mode_override to true, send_body_without_waiting_for_header_response to false'

/**
 * One gRPC stream: feeds the machine with what comes from Envoy, from the handler and from the clock, and carries out
 * its orders. Whatever throws here becomes an answer or an error status.
 */
export class Stream {
  readonly #call: Call
  readonly #handler: ExchangeHandler
  readonly #around: Surroundings
  #machine = START
  #bodyTimer: NodeJS.Timeout | undefined
  #bytesHeld = 0
  /** What the next reply has to wait for: pieces of an answer that are still being read, and the replies before it. */
  #before: Promise<void> | undefined
  /** Reading an answer failed; its bytes go on. */
  #deaf = false
  #closed = false

  constructor(call: Call, handler: ExchangeHandler, around: Surroundings) {
    this.#call = call
    this.#handler = handler
    this.#around = around
    // Not `for await`: leaving such a loop destroys the call, and its status is never sent.
    call.on('data', (ask: Ask) => this.#feed({ kind: 'ask', ask }))
    call.on('end', () => this.#feed({ kind: 'half-closed' }))
    call.on('cancelled', () => this.#feed({ kind: 'gone' }))
  }

  /** The process stops and waits no longer. */
  stop(): void {
    const waiting = waitsFor(this.#machine)
    if (waiting === 'owed' || waiting === 'body') this.#giveUp('plumbline.shutting_down')
    else this.#feed({ kind: 'stop' })
  }

  #feed(input: Input): void {
    try {
      const stepped = step(this.#machine, input)
      this.#machine = stepped.machine
      // An order that comes back with an input is the last of its step.
      for (const order of stepped.orders) this.#carryOut(order)
      this.#watchBody()
    } catch (cause) {
      this.#around.error({ err: cause }, 'ext_proc stream failed')
      this.#break()
    }
  }

  #carryOut(order: Order): void {
    switch (order.kind) {
      case 'judge-head':
        return this.#decide(() => this.#handler.requestHead(order.pairs, order.bodyless), headInput)
      case 'judge-body':
        return this.#judgeBody(order.bytes)
      case 'judge-answer':
        return this.#judgeAnswer(order)
      case 'read':
        return this.#read(order.bytes, order.last)
      case 'reply':
        return this.#write(order.reply)
      case 'give-up':
        if (order.code === 'plumbline.wrong_mode') this.#around.error({}, WRONG_MODE_ADVICE)
        return this.#giveUp(order.code, order.unseen)
      case 'end':
        return this.#end(order.how, order.close)
    }
  }

  // ---- the handler ----

  #decide<T>(ask: () => Promise<T>, toInput: (reply: T) => Input): void {
    const settled = (reply: T): void => {
      if (this.#machine.ended) return
      this.#returnBytes()
      this.#feed(this.#attempt(() => toInput(reply)))
    }
    const failed = (cause: unknown): void => {
      if (this.#machine.ended) return
      this.#returnBytes()
      this.#feed(this.#failure(cause))
    }
    try {
      ask().then(settled, failed)
    } catch (cause) {
      failed(cause)
    }
  }

  #judgeBody(bytes: Uint8Array): void {
    if (!this.#around.bodies.take(bytes.length)) return this.#giveUp('plumbline.overloaded')
    this.#bytesHeld = bytes.length
    this.#decide(() => this.#handler.requestBody(bytes), bodyInput)
  }

  #judgeAnswer(order: Order & { kind: 'judge-answer' }): void {
    const verdict = (): Input => {
      const plan = this.#handler.answerHead(order.pairs, order.bodyless, false)
      if (plan.kind !== 'none' && plan.kind !== 'stream') throw new Error('an answer that cannot be changed here')
      return { kind: 'answer-verdict', body: plan.kind }
    }
    this.#feed(this.#attempt(verdict))
  }

  #read(bytes: Uint8Array, last: boolean): void {
    if (this.#deaf) return
    try {
      const reading = this.#handler.answerChunk(bytes, last)
      if (reading !== undefined) this.#wait(reading)
    } catch (cause) {
      // Nothing that is read in passing decides anything, so the client keeps its answer.
      this.#deaf = true
      this.#around.error({ err: cause }, 'reading an answer failed')
    }
  }

  #wait(reading: Promise<void>): void {
    const before = this.#before
    this.#queue(Promise.allSettled([before, reading]).then(() => undefined))
  }

  #queue(turn: Promise<void>): void {
    this.#before = turn
    void turn.finally(() => {
      if (this.#before === turn) this.#before = undefined
    })
  }

  #attempt(toInput: () => Input): Input {
    try {
      return toInput()
    } catch (cause) {
      return this.#failure(cause)
    }
  }

  #failure(cause: unknown): Input {
    try {
      return { kind: 'refuse', answer: localAnswer(this.#handler.fail(cause)) }
    } catch (second) {
      this.#around.error({ err: second, cause }, 'the handler failed to refuse')
      return { kind: 'refuse', answer: bareRefusal('plumbline.plugin_failed') }
    }
  }

  #giveUp(code: GiveUpCode, unseen?: UnseenHead): void {
    try {
      this.#feed({ kind: 'refuse', answer: localAnswer(this.#handler.giveUp(code, unseen)) })
    } catch (cause) {
      this.#around.error({ err: cause }, 'the handler failed to give up')
      this.#feed({ kind: 'refuse', answer: bareRefusal(code) })
    }
  }

  // ---- the call ----

  #write(reply: Reply): void {
    if (this.#before === undefined) this.#send(reply)
    else this.#queue(this.#before.then(() => this.#sendLater(reply)))
  }

  #sendLater(reply: Reply): void {
    try {
      this.#send(reply)
    } catch (cause) {
      this.#around.error({ err: cause }, 'ext_proc stream failed')
      this.#break()
    }
  }

  #send(reply: Reply): void {
    if (this.#closed || this.#call.write(encodeReply(reply))) return
    this.#call.pause()
    this.#call.once('drain', () => this.#call.resume())
  }

  #watchBody(): void {
    const waiting = this.#machine.request.at === 'awaiting-body' && !this.#machine.ended
    if (waiting && this.#bodyTimer === undefined) {
      this.#bodyTimer = setTimeout(() => this.#giveUp('plumbline.body_timeout'), this.#around.bodyDeadlineMs)
    } else if (!waiting && this.#bodyTimer !== undefined) {
      clearTimeout(this.#bodyTimer)
      this.#bodyTimer = undefined
    }
  }

  #returnBytes(): void {
    this.#around.bodies.give(this.#bytesHeld)
    this.#bytesHeld = 0
  }

  #end(how: Ending, close: Close): void {
    this.#closed = true
    try {
      this.#close(close)
    } finally {
      this.#returnBytes()
      this.#around.ended(this)
      this.#sayEnd(how)
    }
  }

  #sayEnd(how: Ending): void {
    try {
      this.#handler.end(how)
    } catch (cause) {
      this.#around.error({ err: cause }, 'the handler failed to end')
    }
  }

  #close(close: Close): void {
    if (close.kind === 'silent') return
    if (close.kind === 'ok') {
      this.#call.end()
      return
    }
    if (close.code !== 'CANCELLED') this.#around.warn({ code: close.code }, `ext_proc stream refused: ${close.why}`)
    // `destroy` would send no status, and `end` would send OK.
    this.#call.emit('error', { code: status[close.code], details: close.why })
  }

  /** The last resort: whatever state we are in, the peer must not take it for consent. */
  #break(): void {
    if (this.#closed) {
      this.#call.emit('error', { code: status.INTERNAL, details: 'internal error' })
      return
    }
    this.#machine = { ...this.#machine, ended: true }
    clearTimeout(this.#bodyTimer)
    this.#end('failed', { kind: 'error', code: 'INTERNAL', why: 'internal error' })
  }
}

function headInput(reply: HeadReply): Input {
  switch (reply.kind) {
    case 'continue':
      return { kind: 'head-verdict', edits: checkEdits(reply.edits), body: reply.body }
    case 'refuse':
      return { kind: 'refuse', answer: localAnswer(reply.answer) }
    default:
      throw new Error('the handler gave no reply to the head')
  }
}

function bodyInput(reply: BodyReply): Input {
  switch (reply.kind) {
    case 'continue':
      return { kind: 'body-verdict', edits: checkEdits(reply.edits) }
    case 'refuse':
      return { kind: 'refuse', answer: localAnswer(reply.answer) }
    default:
      throw new Error('the handler gave no reply to the body')
  }
}
