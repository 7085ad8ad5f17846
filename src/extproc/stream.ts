import { status } from '@grpc/grpc-js'
import type { ServerDuplexStream } from '@grpc/grpc-js'
import type {
  AnswerEditor,
  AnswerPlan,
  AnswerReply,
  BodyReply,
  Ending,
  ExchangeHandler,
  GiveUpCode,
  HeadReply,
  UnseenHead,
} from '../core/handler.ts'
import type { ByteBudget } from '../core/byte-budget.ts'
import { checkEdits } from './edits.ts'
import { bareRefusal, localAnswer } from './local-answer.ts'
import { step } from './machine.ts'
import { START, waitsFor } from './state.ts'
import type { Close, ErrorCode, Input, Order } from './state.ts'
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
  /** An exchange was ended because it asked for it. */
  readonly canary: () => void
}

const WRONG_MODE_ADVICE =
  'Envoy does not show what has to be checked: set processing_mode.request_body_mode and response_body_mode to ' +
  'BUFFERED, allow_mode_override to true, send_body_without_waiting_for_header_response to false'

const UNKEPT_ADVICE =
  'an answer was refused that Envoy does not let us hold: set processing_mode.response_body_mode to BUFFERED (Envoy ' +
  'says so to us since 1.35)'

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
  /** Of an edited answer, on their way to Envoy. */
  #bytesLeaving = 0
  /** What the next reply has to wait for: pieces of an answer that are still being read, and the replies before it. */
  #before: Promise<void> | undefined
  /** Reading an answer failed; its bytes go on. */
  #deaf = false
  #editor: AnswerEditor | undefined
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
        return this.#judgeBytes(order.bytes, () => this.#handler.requestBody(order.bytes), bodyInput)
      case 'judge-answer':
        return this.#judgeAnswer(order)
      case 'judge-answer-body':
        return this.#judgeBytes(order.bytes, () => this.#handler.answerBody(order.bytes), answerBodyInput)
      case 'open-editor':
        return this.#edit(() => (this.#editor = this.#openEditor()))
      case 'feed':
        return this.#edit(() => this.#editor?.feed(order.bytes, order.last))
      case 'read':
        return this.#read(order.bytes, order.last)
      case 'reply':
        return this.#write(order.reply)
      case 'give-up':
        if (order.code === 'plumbline.wrong_mode') this.#around.error({}, WRONG_MODE_ADVICE)
        return this.#giveUp(order.code, order.unseen)
      case 'end':
        return this.#end(order.how, order.close, order.canary)
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

  #judgeBytes<T>(bytes: Uint8Array, ask: () => Promise<T>, toInput: (reply: T) => Input): void {
    if (!this.#around.bodies.take(bytes.length)) return this.#giveUp('plumbline.overloaded')
    this.#bytesHeld = bytes.length
    this.#decide(ask, toInput)
  }

  #judgeAnswer({ pairs, bodyless, form }: Order & { kind: 'judge-answer' }): void {
    const verdict = (): Input => {
      const rewritable = form === 'rewritable'
      const plan = this.#handler.answerHead(pairs, bodyless, rewritable)
      if (plan.kind === 'refuse' && form === 'unkept') this.#around.error({}, UNKEPT_ADVICE)
      return planInput(plan, rewritable)
    }
    this.#feed(this.#attempt(verdict))
  }

  #openEditor(): AnswerEditor {
    return this.#handler.editAnswer({
      write: (bytes) => this.#feed({ kind: 'edited', bytes }),
      end: () => this.#feed({ kind: 'finished' }),
      abort: () => this.#feed({ kind: 'broken' }),
    })
  }

  /** An editor that fails has lost what it holds, and the head has left: the client has to see a break. */
  #edit(act: () => void): void {
    try {
      act()
    } catch (cause) {
      this.#failure(cause)
      this.#feed({ kind: 'broken' })
    }
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
    if (this.#closed) return
    const message = encodeReply(reply)
    // An editor writes when it likes, so it may write more than Envoy takes; all else waits for the next message.
    const counted = reply.kind === 'piece' ? message.length : 0
    if (!this.#around.bodies.take(counted)) return this.#break('UNAVAILABLE', 'too many bytes wait for Envoy')
    this.#bytesLeaving += counted
    const left = (): void => this.#returnLeft(counted)
    if (this.#call.write(message, left) || this.#call.isPaused()) return
    // What is read meanwhile would pile up as what is written.
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

  #returnLeft(bytes: number): void {
    if (this.#closed) return
    this.#around.bodies.give(bytes)
    this.#bytesLeaving -= bytes
  }

  #end(how: Ending, close: Close, canary?: UnseenHead): void {
    // Of what has not left by now nobody says when it does.
    this.#returnLeft(this.#bytesLeaving)
    this.#closed = true
    try {
      this.#close(close)
    } finally {
      this.#returnBytes()
      this.#around.ended(this)
      if (canary !== undefined) this.#around.canary()
      this.#sayEnd(how, canary)
    }
  }

  #sayEnd(how: Ending, canary: UnseenHead | undefined): void {
    try {
      this.#handler.end(how, canary)
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
  #break(code: ErrorCode = 'INTERNAL', why = 'internal error'): void {
    if (this.#closed) {
      this.#call.emit('error', { code: status.INTERNAL, details: 'internal error' })
      return
    }
    this.#machine = { ...this.#machine, ended: true }
    clearTimeout(this.#bodyTimer)
    this.#end('failed', { kind: 'error', code, why })
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

function planInput(plan: AnswerPlan, rewritable: boolean): Input {
  switch (plan.kind) {
    case 'none':
    case 'stream':
      return { kind: 'answer-verdict', body: plan.kind }
    case 'whole':
    case 'edit':
      if (!rewritable) throw new Error('the handler plans to change an answer that cannot be changed')
      if (plan.kind === 'whole') return { kind: 'answer-verdict', body: 'whole' }
      return { kind: 'answer-verdict', body: 'edit', edits: checkEdits(plan.edits) }
    case 'refuse':
      return { kind: 'refuse', answer: localAnswer(plan.answer) }
    default:
      throw new Error('the handler gave no plan for the answer')
  }
}

function answerBodyInput(reply: AnswerReply): Input {
  switch (reply.kind) {
    case 'continue':
      return { kind: 'answer-body-verdict', replace: undefined }
    case 'replace':
      return { kind: 'answer-body-verdict', replace: { edits: checkEdits(reply.edits), body: reply.body } }
    case 'refuse':
      return { kind: 'refuse', answer: localAnswer(reply.answer) }
    default:
      throw new Error('the handler gave no reply to the answer')
  }
}
