import { randomUUID } from 'node:crypto'
import { PLUMBLINE_CODES, type PlumblineCode } from '../core/errors.ts'
import type { AnswerHead, Body, Exchange, Head, HeaderPair } from '../core/exchange.ts'
import type {
  AnswerEditor,
  AnswerPlan,
  AnswerReply,
  AnswerSink,
  BodyReply,
  Caller,
  Ending,
  ExchangeHandler,
  HeaderEdits,
  HeadReply,
  UnseenHead,
} from '../core/handler.ts'
import type { Gate, Parser, Placed } from '../core/plugin.ts'
import type { ExchangeRecord } from '../core/record.ts'
import type { Answer, Refusal, Rejection, Run } from '../core/ruling.ts'
import type { Conversation, Lesson } from '../core/session.ts'
import type { ExchangeWatch } from '../core/telemetry.ts'
import { decodeBody } from '../http/decode.ts'
import { answerHead, requestHead } from '../http/headers.ts'
import { plainCall, type PlainCall } from '../http/plain-call.ts'
import { plainRefusal } from '../parsers/kit/refusal.ts'
import { about } from './about.ts'
import { openAnswer, type ExchangeAnswer } from './exchange-answer.ts'
import { ExchangeSession, HANDLE_HEADER, NO_SESSION } from './exchange-session.ts'
import { isGrpc, isTunnel, requestIdOf } from './head-checks.ts'
import { judge, onlyWatches, type Verdict } from './judging.ts'
import type { RunContext, SortedChain } from './pipeline.ts'
import { readMessage, unread, type Understood, type Unreadable } from './readings.ts'
import { createRecorder } from './recorder.ts'
import { ResultNews } from './result-news.ts'
import { isRun } from './results.ts'
import { shortCode } from './short-code.ts'
import { newTrace, traceIdOf } from './trace.ts'

const NO_NOTES = { has: () => false }
const EMPTY_CHAIN: SortedChain = {
  all: [],
  parsers: [],
  gates: [],
  atRequest: [],
  atCompletion: [],
  atResults: [],
  resultsBytes: undefined,
  news: new ResultNews([], () => undefined),
  enforces: false,
  ungated: true,
}
const NO_BODY: Body = { kind: 'none' }
const UNREAD: Body = { kind: 'unread' }

const NOTHING_TO_JUDGE: Verdict = { kind: 'allowed', judged: false }

type Render = (no: Refusal) => Answer

/** One exchange through the phases: exempt, read, resolve, judge, learn; then its answer. */
export function createExchangeRun(caller: Caller | undefined, context: RunContext): ExchangeHandler {
  return new ExchangeRun(caller, context)
}

class ExchangeRun implements ExchangeHandler {
  private readonly context: RunContext
  private readonly caller: Caller | undefined
  private readonly chain: SortedChain
  private readonly startedAt = new Date()
  private readonly startedMs: number
  private readonly recorder = createRecorder()
  private readonly shadows: Promise<void>[] = []
  private readonly exempt = new Map<Placed<Gate>, Run>()

  private head: Head | undefined
  private requestId: string = randomUUID()
  private traceId: string | undefined
  private newTraceparent: string | undefined
  private session: ExchangeSession | undefined
  private understood: Understood | undefined
  /** No parser claimed the request, and gates look at what tools answer. */
  private plainCall: PlainCall | undefined
  private render: Render = plainRefusal
  private abort: AbortController | undefined
  private deadline: NodeJS.Timeout | undefined
  /** Gates are asked, and have not answered. */
  private judging: Promise<Verdict> | undefined
  private answer: AnswerHead | undefined
  private answering: ExchangeAnswer | undefined
  private refused: (NonNullable<ExchangeRecord['refusal']> & { readonly status: number }) | undefined
  private watch: ExchangeWatch | undefined
  private ended = false

  constructor(caller: Caller | undefined, context: RunContext) {
    this.caller = caller
    this.context = context
    this.chain = caller === undefined ? EMPTY_CHAIN : context.chains[caller.direction]
    this.startedMs = context.now()
  }

  async requestHead(pairs: readonly HeaderPair[], bodyless: boolean): Promise<HeadReply> {
    const head = this.takeHead(pairs, bodyless)
    if (this.caller === undefined) {
      const why = 'set `x-plumbline-direction: inbound` or `outbound` in the filter’s grpc_service.initial_metadata'
      this.context.log.error({ ...this.names, why }, 'no direction: the exchange is refused')
      return this.refuseOwn('plumbline.no_direction')
    }
    if (this.traceId === undefined && this.caller.direction === 'inbound') {
      const trace = newTrace()
      this.traceId = trace.traceId
      this.newTraceparent = trace.traceparent
    }
    this.watching()
    this.session = new ExchangeSession(this.context.sessions, this.caller, head, this.traceId, this.chain)
    if (isTunnel(head)) return this.refuseOwn('plumbline.unsupported_protocol')

    const x = this.view(bodyless ? NO_BODY : UNREAD)
    this.askExemptions(x)
    if (bodyless) return withoutBody(await this.decide(NO_BODY))
    const plan = this.planBody(x)
    if (plan === 'refuse') return this.refuseOwn('plumbline.unsupported_protocol')
    if (plan === 'none') return withoutBody(await this.decide(UNREAD))
    return { kind: 'continue', edits: { set: [], remove: [] }, body: 'whole' }
  }

  async requestBody(raw: Uint8Array): Promise<BodyReply> {
    const { limits } = this.context
    const head = this.head
    if (head === undefined) throw new Error('a body came before its head')
    const body = await decodeBody(raw, head.headers, { bytes: limits.bodyBytes, ratio: limits.ratio })
    return this.decide(body)
  }

  answerHead(pairs: readonly HeaderPair[], bodyless: boolean, rewritable: boolean): AnswerPlan {
    const answer = answerHead(pairs, bodyless)
    this.answer = answer
    const { chain, context, understood } = this
    if (bodyless || this.head === undefined || understood === undefined) return { kind: 'none' }
    const ground = {
      context,
      parsers: chain.parsers,
      gates: this.looksAtCompletions(),
      byParser: understood.byParser,
      plain: this.plainCall && { call: this.plainCall, maxBytes: chain.resultsBytes ?? 0 },
      x: this.view(NO_BODY),
      answer,
      actions: understood.found.length,
      recorder: this.recorder,
      shadows: this.shadows,
      learn: (lessons: readonly Lesson[]) => {
        this.session?.learnAnswer(lessons)
      },
      refusalOf: (plugin: string, no: Rejection): Refusal => ({ ...no, plugin, requestId: this.requestId }),
    }
    this.answering = openAnswer(ground, rewritable)
    // A streamed answer may take hours: what the request held is let go.
    this.understood = undefined
    this.plainCall = undefined
    this.render = plainRefusal
    const { plan } = this.answering
    if (plan.kind === 'refuse') this.answerRefused(plan.answer)
    return plan
  }

  answerChunk(raw: Uint8Array, last: boolean): Promise<void> | undefined {
    return this.answering?.chunk(raw, last)
  }

  async answerBody(raw: Uint8Array): Promise<AnswerReply> {
    if (this.answering === undefined) throw new Error('an answer’s body came before its head')
    const reply = await this.answering.body(raw)
    if (reply.kind === 'refuse') this.answerRefused(reply.answer)
    return reply
  }

  editAnswer(sink: AnswerSink): AnswerEditor {
    if (this.answering === undefined) throw new Error('an answer is edited before its head')
    return this.answering.edit(sink)
  }

  giveUp(code: PlumblineCode, unseen?: UnseenHead): Answer {
    if (unseen !== undefined) this.takeHead(unseen.pairs, unseen.bodyless)
    this.abort?.abort(shortCode(code))
    const status = PLUMBLINE_CODES[code].status
    this.context.log.warn({ ...this.names, code }, 'gave up on an exchange')
    return this.refusal('plumbline', { code, status, message: PLUMBLINE_CODES[code].message }, this.render)
  }

  fail(cause: unknown): Answer {
    this.context.log.error({ ...this.names, err: cause }, 'an exchange failed')
    return this.refuseOwn('plumbline.plugin_failed').answer
  }

  end(how: Ending, canary?: UnseenHead): void {
    if (this.ended) return
    this.ended = true
    if (canary !== undefined) {
      this.takeHead(canary.pairs, canary.bodyless)
      this.recorder.own({ action: 'failed', reason: 'canary' }, false)
    }
    if (this.shadows.length === 0) this.stopDeadline()
    if (how === 'gone' || how === 'failed') this.abort?.abort('gone')
    const reading = this.answering?.end(how === 'complete' ? 'complete' : 'cut')
    this.session?.leave()
    if (reading === undefined && this.judging === undefined && this.shadows.length === 0) {
      this.writeRecord()
      return
    }
    // What gates still think about ends with the signal; the record says so.
    void Promise.allSettled([reading, this.judging, ...this.shadows]).then(() => {
      this.stopDeadline()
      this.writeRecord()
    })
  }

  private takeHead(pairs: readonly HeaderPair[], bodyless: boolean): Head {
    const head = requestHead(pairs, bodyless)
    this.head = head
    this.requestId = requestIdOf(head) ?? this.requestId
    this.traceId = traceIdOf(head.headers)
    return head
  }

  /** Asks each gate, from the head alone, whether the exchange is its business. A gate that fails is not exempt. */
  private askExemptions(x: Exchange): void {
    for (const gate of this.chain.gates) {
      try {
        const run = gate.plugin.exempt(x)
        if (run === undefined) continue
        if (!isRun(run)) throw new TypeError('the gate returned no run')
        this.exempt.set(gate, run)
      } catch (cause) {
        this.context.log.error({ ...this.names, plugin: gate.id, err: cause }, 'a gate’s exemption failed')
      }
    }
  }

  /** Whether the body is asked for. A body that is not has to be nobody's business. */
  private planBody(x: Exchange): 'whole' | 'none' | 'refuse' {
    const { gates, parsers } = this.chain
    if (isGrpc(x.request)) return this.planForeign(parsers.filter((p) => this.orTrue(p, () => p.plugin.isHome(x))))
    const wanted = parsers.some((p) => this.orTrue(p, () => p.plugin.wantsExempt(x)))
    if (gates.length === 0) return parsers.length === 0 ? 'none' : 'whole'
    return wanted || !this.allExempt() ? 'whole' : 'none'
  }

  /** A protocol that nobody here reads, towards the hosts of these parsers. */
  private planForeign(ground: readonly Placed<Parser>[]): 'none' | 'refuse' {
    if (ground.length === 0) return 'none'
    const { ungated, enforces } = this.chain
    if (ungated ? ground.some((p) => p.mode === 'enforce') : enforces) return 'refuse'
    this.recorder.own({ action: 'deny', reason: 'unsupported_protocol' }, true)
    return 'none'
  }

  /** A parser that cannot say is taken to want and to mind: neither opens anything. */
  private orTrue(parser: Placed<Parser>, ask: () => boolean): boolean {
    try {
      return ask()
    } catch (cause) {
      this.context.log.error({ ...this.names, plugin: parser.id, err: cause }, 'a parser’s wish failed')
      return true
    }
  }

  /** The gates that look at what the answer proposes. */
  private looksAtCompletions(): readonly Placed<Gate>[] {
    return this.chain.atCompletion.filter((gate) => !this.exempt.has(gate))
  }

  private allExempt(): boolean {
    return this.chain.gates.length > 0 && this.chain.gates.every((g) => this.exempt.has(g))
  }

  private async decide(body: Body): Promise<BodyReply> {
    const began = this.context.now()
    const reply = await this.weigh(body)
    if (!this.ended) this.watching().decides(this.context.now() - began)
    return reply
  }

  /** Reads, resolves, judges, learns. The reply is the whole chain's. */
  private async weigh(body: Body): Promise<BodyReply> {
    this.session?.resolveHead()
    const unresolved = this.view(body)
    const read =
      body.kind === 'unread'
        ? unread(this.chain.parsers, unresolved, this.recorder)
        : readMessage(this.chain.parsers, unresolved, body, this.recorder)
    if (read.kind === 'unreadable') {
      const refusal = this.onUnreadable(read)
      if (refusal !== undefined) return refusal
    }
    const understood = read.kind === 'understood' ? read : unread([], unresolved, this.recorder)
    this.understood = understood
    this.plainCall = this.plainCallOf(understood, body)
    this.render = (no) => understood.found[0].reading.refuse(no)
    this.session?.resolveMessage(understood)

    const refusal = await this.judgeAll(understood, this.view(body))
    if (refusal !== undefined) return refusal
    return { kind: 'continue', edits: this.edits() }
  }

  /** What gates that look at results make of the request, where its answer is nobody else's and not all exempted it. */
  private plainCallOf({ byParser }: Understood, body: Body): PlainCall | undefined {
    const { caller, chain, head } = this
    if (head === undefined || caller?.direction !== 'outbound' || byParser.size > 0) return undefined
    return chain.atResults.every((gate) => this.exempt.has(gate)) ? undefined : plainCall(head, body)
  }

  /** Decides whose business an unreadable message is. Undefined: it passes, and the record says so. */
  private onUnreadable(read: Unreadable): ReturnType<ExchangeRun['refuseOwn']> | undefined {
    const { ungated, enforces } = this.chain
    const parserEnforces = read.by.length === 0 || read.by.some((p) => p.mode === 'enforce')
    const refuses = ungated ? parserEnforces : enforces && !this.enforcersExempt()
    const facts = { ...this.names, why: read.why, by: read.by.map((p) => p.id), err: read.cause }
    this.context.log.warn(facts, refuses ? 'unreadable message refused' : 'unreadable message passed')
    if (refuses) return this.refuseOwn(read.code, read.refuse)
    this.recorder.own({ action: 'deny', reason: shortCode(read.code), details: { why: read.why } }, true)
    return undefined
  }

  private enforcersExempt(): boolean {
    return this.chain.gates.every((g) => g.mode !== 'enforce' || this.exempt.has(g))
  }

  private async judgeAll(understood: Understood, x: Exchange): Promise<ReturnType<ExchangeRun['refuse']> | undefined> {
    const verdict = this.chain.gates.length === 0 ? NOTHING_TO_JUDGE : await this.askGates(understood, x)
    // Nobody is there any more: what was not sent on teaches nothing.
    if (this.ended) return this.unheard()
    if (verdict.kind === 'refused') {
      const { by, index, no } = verdict
      return this.refuse(by.id, no, renderOf(understood, index))
    }
    if (verdict.kind === 'failed') {
      const { by, index, cause } = verdict
      const late = this.abort?.signal.reason === 'deadline'
      this.context.log.error({ ...this.names, plugin: by.id, err: cause }, 'a gate failed')
      const code = late ? 'plumbline.deadline' : 'plumbline.plugin_failed'
      return this.refuseOwn(code, renderOf(understood, index))
    }
    return this.session?.learn(understood, verdict.judged) === 'overloaded' && this.refusesOverload()
      ? this.refuseOwn('plumbline.overloaded')
      : undefined
  }

  private async askGates(understood: Understood, x: Exchange): Promise<Verdict> {
    for (const [gate, run] of this.exempt) this.recorder.add(gate.id, run, 'request')
    const [first, ...rest] = understood.found
    this.judging = judge({
      gates: this.chain.atRequest.filter((gate) => !this.exempt.has(gate)),
      actions: [first.action, ...rest.map(({ action }) => action)],
      firstId: 0,
      phase: 'request',
      x,
      signal: this.startDeadline(),
      recorder: this.recorder,
      shadows: this.shadows,
    })
    const verdict = await this.judging
    this.judging = undefined
    if (this.shadows.length === 0) this.stopDeadline()
    return verdict
  }

  private refusesOverload(): boolean {
    const refuses = this.chain.ungated || this.chain.enforces
    if (!refuses) this.recorder.own({ action: 'deny', reason: 'overloaded' }, true)
    return refuses
  }

  /** Our own headers: inbound, the trace and the handle; outbound, the handle goes no further. */
  private edits(): HeaderEdits {
    const set: HeaderPair[] = []
    const handle = this.session?.handle
    if (this.newTraceparent !== undefined) set.push(['traceparent', this.newTraceparent])
    if (handle !== undefined) set.push([HANDLE_HEADER, handle])
    // What has to be looked into must arrive readable.
    if (this.guardsAnswer()) set.push(['accept-encoding', 'identity'])
    const hadHandle = this.head?.headers.has(HANDLE_HEADER) === true
    return { set, remove: hadHandle && handle === undefined ? [HANDLE_HEADER] : [] }
  }

  private guardsAnswer(): boolean {
    const enforcing = this.looksAtCompletions().some((gate) => !onlyWatches(gate))
    return enforcing && proposesReadably(this.understood)
  }

  private view(body: Body): Exchange {
    const { caller, head } = this
    if (head === undefined) throw new Error('an exchange has no head yet')
    return {
      direction: caller?.direction ?? 'outbound',
      workload: caller?.workload ?? '',
      routesByHost: caller?.routesByHost ?? false,
      requestId: this.requestId,
      traceId: this.traceId,
      request: head,
      body,
      answer: this.answer,
      identity: undefined,
      session: this.session?.resolution ?? NO_SESSION,
      conversation: conversationOf(this.understood),
      notes: this.session?.notes ?? NO_NOTES,
      telemetry: this.watching(),
    }
  }

  private startDeadline(): AbortSignal {
    const abort = new AbortController()
    this.abort = abort
    const ms = this.context.limits.verdictDeadlineMs[this.caller?.direction ?? 'outbound']
    this.deadline = setTimeout(() => {
      abort.abort('deadline')
    }, ms)
    if (this.ended) abort.abort('gone')
    return abort.signal
  }

  private stopDeadline(): void {
    clearTimeout(this.deadline)
  }

  private refuseOwn(
    code: PlumblineCode,
    render: Render = this.render,
  ): { readonly kind: 'refuse'; readonly answer: Answer } {
    const { status, message } = PLUMBLINE_CODES[code]
    return this.refuse('plumbline', { code, status, message }, render)
  }

  /** A reply that nobody hears, so the record does not speak of it. */
  private unheard(): { readonly kind: 'refuse'; readonly answer: Answer } {
    const code = 'plumbline.plugin_failed'
    const no = { ...PLUMBLINE_CODES[code], code, plugin: 'plumbline', requestId: this.requestId }
    return { kind: 'refuse', answer: plainRefusal(no) }
  }

  private refuse(plugin: string, no: Rejection, render: Render): { readonly kind: 'refuse'; readonly answer: Answer } {
    return { kind: 'refuse', answer: this.refusal(plugin, no, render) }
  }

  private refusal(plugin: string, no: Rejection, render: Render): Answer {
    const refusal: Refusal = { ...no, plugin, requestId: this.requestId }
    if (plugin === 'plumbline') this.recorder.own({ action: 'deny', reason: shortCode(no.code) }, false)
    let answer: Answer
    try {
      answer = render(refusal)
    } catch (cause) {
      // A no must never get lost because its words could not be written.
      this.context.log.error({ ...this.names, err: cause }, 'a refusal could not be rendered')
      answer = plainRefusal(refusal)
    }
    this.refused = { plugin, code: no.code, status: answer.status }
    return answer
  }

  private answerRefused({ status, details }: Answer): void {
    this.refused = { plugin: 'plumbline', code: details, status }
  }

  private get names(): ReturnType<typeof about> {
    return about({ requestId: this.requestId, traceId: this.traceId })
  }

  /** Also of an exchange that showed no head, or one that nobody was to judge. */
  private watching(): ExchangeWatch {
    return (this.watch ??= this.context.telemetry.begins(this.caller, this.head, this.newTraceparent))
  }

  private writeRecord(): void {
    const record = this.recordOf()
    this.context.record(record)
    this.watching().ends(record)
  }

  private recordOf(): ExchangeRecord {
    const { caller, head, refused } = this
    const { method, certainty } = this.session?.resolution ?? NO_SESSION
    return {
      sessionId: this.session?.id,
      requestId: this.requestId,
      traceId: this.traceId,
      workload: caller?.workload ?? '',
      at: this.startedAt.toISOString(),
      direction: caller?.direction ?? 'unknown',
      phase: refused !== undefined ? 'denied' : this.answer !== undefined ? 'response' : 'request',
      host: head?.host ?? '',
      method: head?.method ?? '',
      path: head?.path ?? '',
      statusCode: refused?.status ?? this.answer?.status,
      ...(refused === undefined ? {} : { refusal: { plugin: refused.plugin, code: refused.code } }),
      durationMs: Math.round((this.context.now() - this.startedMs) * 1000) / 1000,
      session: { method, certainty },
      ...this.recorder.finish(this.chain.all),
    }
  }
}

/** How the reading that found an action says no. */
function renderOf({ found }: Understood, index: number): Render {
  return (no) => (found[index] ?? found[0]).reading.refuse(no)
}

function proposesReadably(understood: Understood | undefined): boolean {
  return [...(understood?.byParser.values() ?? [])].some(({ proposes }) => proposes === 'readable')
}

/** What the message shows to a model. */
function conversationOf(understood: Understood | undefined): Conversation | undefined {
  const shown = understood?.lessons.find((lesson) => lesson.kind === 'inference')
  return shown === undefined ? undefined : { messages: shown.messages, tools: shown.tools }
}

function withoutBody(reply: BodyReply): HeadReply {
  return reply.kind === 'refuse' ? reply : { ...reply, body: 'none' }
}
