import { PLUMBLINE_CODES } from '../core/errors.ts'
import type { AnswerHead, Exchange } from '../core/exchange.ts'
import type { AnswerEditor, AnswerPlan, AnswerReply, AnswerSink } from '../core/handler.ts'
import type { CompletionGuard, Gate, Parser, Placed, Reading } from '../core/plugin.ts'
import type { Answer, Refusal, Rejection } from '../core/ruling.ts'
import type { Lesson } from '../core/session.ts'
import { codingsOf } from '../http/codings.ts'
import { decodeBody, openDecoder } from '../http/decode.ts'
import { mediaType } from '../http/media.ts'
import { plainRefusal } from '../parsers/kit/refusal.ts'
import { about } from './about.ts'
import { createAnswerReading, type AnswerReading, type PlainAnswer } from './answer-reading.ts'
import { allFailOpen, createGuardedAnswer, recordGivenUp, type GuardedAnswer } from './guarded-answer.ts'
import { onlyWatches } from './judging.ts'
import type { RunContext } from './pipeline.ts'
import type { Recorder } from './recorder.ts'

/** What the answer's side of an exchange knows of the request's. */
export interface AnswerGround {
  readonly context: RunContext
  readonly parsers: readonly Placed<Parser>[]
  /** Gates that look at completions and did not exempt this exchange. */
  readonly gates: readonly Placed<Gate>[]
  /** Readings of the request, by plugin id. */
  readonly byParser: ReadonlyMap<string, Reading>
  /** No parser claimed the request, and gates look at what is answered to it. */
  readonly plain: PlainAnswer | undefined
  readonly x: Exchange
  readonly answer: AnswerHead
  /** How many actions the request had: the calls that the answer proposes are numbered after them. */
  readonly actions: number
  readonly recorder: Recorder
  readonly shadows: Promise<void>[]
  readonly learn: (lessons: readonly Lesson[]) => void
  readonly refusalOf: (plugin: string, no: Rejection) => Refusal
}

/** The answer's side of an exchange, from its head to its end. */
export interface ExchangeAnswer {
  readonly plan: AnswerPlan
  chunk(raw: Uint8Array, last: boolean): Promise<void> | undefined
  body(raw: Uint8Array): Promise<AnswerReply>
  edit(sink: AnswerSink): AnswerEditor
  /** Undefined when all is done already. */
  end(how: 'complete' | 'cut'): Promise<void> | undefined
}

interface Proposing {
  readonly placed: Placed<Parser>
  readonly reading: Reading
}

/**
 * Decides how an answer is looked at. Where an enforcing gate looks at completions, and the request may bring one, its
 * calls are held back until they are ruled on; else it is read in passing, or not at all.
 */
export function openAnswer(ground: AnswerGround, rewritable: boolean): ExchangeAnswer {
  const proposing = ground.gates.length === 0 || !isSuccess(ground.answer.status) ? undefined : findProposing(ground)
  if (proposing === undefined) return passing(ground, undefined)
  const guard = openGuard(ground, proposing)
  if (typeof guard === 'string') return unguarded(ground, guard)
  if (ground.gates.every(onlyWatches)) return passing(ground, { ...proposing, guard })
  if (!rewritable) return unguarded(ground, 'the gateway does not let this answer be changed')
  if (isJson(ground.answer)) return held(ground, { ...proposing, guard })
  // A stream that is decoded piece by piece would have to be encoded again.
  if (isEncoded(ground.answer)) return unguarded(ground, 'a stream with a content-encoding')
  return edited(ground, { ...proposing, guard })
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

/** Only what says so is waited for whole: anything else could be a stream, and a stream that waits is broken. */
function isJson({ headers }: AnswerHead): boolean {
  const media = mediaType(headers)
  return typeof media === 'object' && /^application\/(?:[\w.-]+\+)?json$/.test(media.essence)
}

function isEncoded({ headers }: AnswerHead): boolean {
  const codings = codingsOf(headers)
  return typeof codings === 'string' || codings.length > 0
}

function findProposing({ parsers, byParser }: AnswerGround): Proposing | undefined {
  for (const placed of parsers) {
    const reading = byParser.get(placed.id)
    if (reading?.proposes !== undefined) return { placed, reading }
  }
  return undefined
}

/** A guard, or why there is none. */
function openGuard({ x, context }: AnswerGround, { placed, reading }: Proposing): CompletionGuard | string {
  if (reading.proposes === 'unreadable') return 'the dialect of this model is not read'
  try {
    return placed.plugin.guardAnswer?.(x, reading) ?? 'the parser has no guard for it'
  } catch (cause) {
    context.log.error({ ...about(x), plugin: placed.id, err: cause }, 'a parser’s guard failed')
    return 'the guard failed'
  }
}

type Guarding = Proposing & { readonly guard: CompletionGuard }

// ---- the ways of looking at an answer ----

/** Its bytes go on untouched. With a guard, gates that only watch see the calls in it. */
function passing(ground: AnswerGround, guarding: Guarding | undefined): ExchangeAnswer {
  const reading = readOthers(ground, guarding?.placed)
  const watching = guarding === undefined ? undefined : watch(ground, guarding)
  return {
    ...UNASKED,
    plan: { kind: reading === undefined && watching === undefined ? 'none' : 'stream' },
    chunk: (raw, last) => both(reading?.feed(raw, last), watching?.feed(raw, last)),
    end: (how) => both(reading?.end(how), watching?.end(how)),
  }
}

function both(a: Promise<void> | undefined, b: Promise<void> | undefined): Promise<void> | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Promise.all([a, b]).then(() => undefined)
}

/** Feeds a guard with an answer that goes on anyway: every call is let go at once, and the watching gates see it. */
function watch(ground: AnswerGround, guarding: Guarding): Pick<AnswerReading, 'feed' | 'end'> | undefined {
  const answer = guardedAnswer(ground, guarding, { emit: ignore, onDone: ignore, whole: false })
  const decoder = openDecoder(ground.answer.headers, decodeLimits(ground.context), (bytes) => {
    answer.feed(bytes)
  })
  if (decoder === undefined) {
    answer.giveUp(UNREADABLE, 'an unknown content-encoding')
    answer.leave('complete')
    return undefined
  }
  let ending: Promise<void> | undefined
  const finish = (how: 'complete' | 'cut'): Promise<void> =>
    (ending ??= decoder.end().then((end) => {
      if (end !== 'whole') answer.giveUp(UNREADABLE, `the content-encoding: ${end}`)
      answer.end(how)
      answer.leave(how)
    }))
  return {
    feed(raw, last) {
      if (ending !== undefined) return undefined
      const fed = raw.length > 0 ? decoder.feed(raw) : undefined
      return last ? finish('complete') : fed
    },
    end: (how) => finish(how),
  }
}

/** JSON: Envoy holds it until every call in it is ruled on. */
function held(ground: AnswerGround, guarding: Guarding): ExchangeAnswer {
  const { guard } = guarding
  const others = readOthers(ground, guarding.placed)
  const out: Uint8Array[] = []
  let done: () => void = ignore
  const allRuled = new Promise<void>((resolve) => {
    done = resolve
  })
  const answer = guardedAnswer(ground, guarding, { emit: (bytes) => out.push(bytes), onDone: done, whole: true })
  return {
    ...UNASKED,
    plan: { kind: 'whole' },
    async body(raw) {
      void others?.feed(raw, true)
      const body = await decodeBody(raw, ground.answer.headers, decodeLimits(ground.context))
      if (body.kind === 'over-limit' || body.kind === 'undecodable') {
        const why = body.kind === 'over-limit' ? 'longer than the limit' : body.why
        answer.giveUp(UNREADABLE, why)
        return allFailOpen(ground.gates) ? { kind: 'continue' } : unreadable(ground)
      }
      if (body.kind === 'whole') answer.feed(body.bytes)
      answer.end('complete')
      await allRuled
      if (!guard.changed) return { kind: 'continue' }
      return { kind: 'replace', edits: { set: [], remove: OF_THE_OLD_BODY }, body: Buffer.concat(out) }
    },
    end(how) {
      answer.leave(how)
      return others?.end(how)
    },
  }
}

/** Describe a body that is no longer the one they were made for. */
const OF_THE_OLD_BODY = ['content-encoding', 'etag', 'digest', 'content-digest', 'repr-digest', 'content-md5']

/** A stream: what is not held goes on as it comes. */
function edited(ground: AnswerGround, guarding: Guarding): ExchangeAnswer {
  const others = readOthers(ground, guarding.placed)
  let answer: GuardedAnswer | undefined
  return {
    ...UNASKED,
    plan: { kind: 'edit', edits: { set: [], remove: OF_THE_OLD_BODY } },
    edit(sink) {
      const opened = guardedAnswer(ground, guarding, {
        emit: (bytes) => {
          sink.write(bytes)
        },
        onDone: () => {
          sink.end()
        },
        whole: false,
      })
      answer = opened
      return {
        feed(raw, last) {
          void others?.feed(raw, last)
          if (raw.length > 0) opened.feed(raw)
          if (last) opened.end('complete')
        },
      }
    },
    end(how) {
      answer?.leave(how)
      return others?.end(how)
    },
  }
}

/** An answer that nobody can look into although gates have to: by policy it is refused, or passes and says so. */
function unguarded(ground: AnswerGround, why: string): ExchangeAnswer {
  const refused = withhold(ground, why)
  return refused === undefined ? passing(ground, undefined) : { ...UNASKED, plan: refused, end: () => undefined }
}

const UNREADABLE = 'plumbline.unreadable_answer'

interface Refused {
  readonly kind: 'refuse'
  readonly answer: Answer
}

/** The refusal of an answer that cannot be checked; undefined where all gates that need it fail open. */
function withhold({ gates, recorder, context, x, ...rest }: AnswerGround, why: string): Refused | undefined {
  const passed = allFailOpen(gates)
  const facts = { ...about(x), code: UNREADABLE, why }
  context.log.warn(facts, passed ? 'an answer passed unchecked' : 'an answer was refused')
  recordGivenUp(recorder, gates, UNREADABLE, why)
  return passed ? undefined : unreadable(rest)
}

function unreadable({ refusalOf }: Pick<AnswerGround, 'refusalOf'>): Refused {
  const { status, message } = PLUMBLINE_CODES[UNREADABLE]
  return { kind: 'refuse', answer: plainRefusal(refusalOf('plumbline', { code: UNREADABLE, status, message })) }
}

// ---- parts ----

const unasked = (): never => {
  throw new Error('the plan did not ask for it')
}

const UNASKED = { chunk: unasked, body: unasked, edit: unasked } satisfies Partial<ExchangeAnswer>

function ignore(): void {
  // Nobody waits for it.
}

function decodeLimits({ limits }: RunContext): { readonly bytes: number; readonly ratio: number } {
  return { bytes: limits.bodyBytes, ratio: limits.ratio }
}

/** The parsers that read an answer in passing, whoever guards it. */
function readOthers(ground: AnswerGround, guarding: Placed<Parser> | undefined): AnswerReading | undefined {
  const { context, parsers, byParser, plain, x, answer, recorder, learn } = ground
  return createAnswerReading({
    parsers: parsers.filter((placed) => placed !== guarding),
    byParser,
    plain,
    x,
    answer,
    limits: decodeLimits(context),
    budget: context.answers,
    recorder,
    onLessons: learn,
  })
}

interface Outlet {
  readonly emit: (bytes: Uint8Array) => void
  readonly onDone: () => void
  /** The whole answer is in memory: what is held of it costs nothing more. */
  readonly whole: boolean
}

function guardedAnswer(ground: AnswerGround, guarding: Guarding, { emit, onDone, whole }: Outlet): GuardedAnswer {
  const { context, gates, x, actions, recorder, shadows, learn, refusalOf } = ground
  const { hold, bodyBytes, verdictDeadlineMs } = context.limits
  return createGuardedAnswer({
    guard: guarding.guard,
    parser: guarding.placed.id,
    gates,
    x,
    firstId: actions,
    verdictMs: verdictDeadlineMs[x.direction],
    limits: whole ? { ...hold, bytes: bodyBytes } : hold,
    budget: context.answers,
    recorder,
    shadows,
    warn: (facts, message) => {
      context.log.warn(facts, message)
    },
    refusalOf,
    onLessons: learn,
    emit,
    onDone,
  })
}
