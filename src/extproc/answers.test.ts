import { describe, expect, test } from 'vitest'
import { answerBody, answerHead, requestHead } from '../../test/support/extproc/as-envoy.ts'
import type { Connection, Stream, Wire } from '../../test/support/extproc/as-envoy.ts'
import { NO_EDITS, refusal, SILENT_LOG } from '../../test/support/extproc/handlers.ts'
import { detailsOf, kindOf, SAID, statusOf, until, useServers } from '../../test/support/extproc/served.ts'
import type { AnswerEditor, AnswerPlan, AnswerReply, AnswerSink, ExchangeHandler } from '../core/handler.ts'

const { serve } = useServers()

const WHOLE: AnswerPlan = { kind: 'whole' }
const EDIT: AnswerPlan = { kind: 'edit', edits: NO_EDITS }

interface BodyReplyOnWire {
  readonly response?: {
    readonly headerMutation?: { readonly setHeaders?: readonly { header: { key: string; rawValue: Buffer } }[] }
    readonly bodyMutation?: {
      readonly body?: Buffer
      readonly streamedResponse?: { readonly body?: Buffer; readonly endOfStream?: boolean }
    }
  }
}

const common = (reply: Wire) => (reply['responseBody'] as BodyReplyOnWire | undefined)?.response
const replaced = (reply: Wire) => common(reply)?.bodyMutation?.body?.toString()
const headers = (reply: Wire) =>
  (common(reply)?.headerMutation?.setHeaders ?? []).map(({ header }) => [header.key, header.rawValue.toString()])

function piece(reply: Wire): string {
  const streamed = common(reply)?.bodyMutation?.streamedResponse
  if (streamed === undefined) return `no piece: ${String(kindOf(reply))}`
  return `${streamed.body?.toString() ?? ''}${streamed.endOfStream === true ? ' end' : ''}`
}

/** An exchange whose answer's head was just answered. */
async function answering(connection: Connection): Promise<Stream> {
  const stream = connection.open(SAID)
  await stream.ask(requestHead({ last: true }))
  await stream.ask(answerHead())
  return stream
}

describe('an answer that is held whole', () => {
  const whole = (reply: AnswerReply | (() => Promise<AnswerReply>)): Partial<ExchangeHandler> => ({
    answerHead: () => WHOLE,
    answerBody: typeof reply === 'function' ? reply : async () => reply,
  })

  test('needs no override, and goes on as it came', async () => {
    const { connection, seen, server } = await serve(whole({ kind: 'continue' }))
    const stream = connection.open(SAID)
    await stream.ask(requestHead({ last: true }))
    const head = await stream.ask(answerHead())
    expect([kindOf(head), head['modeOverride']]).toEqual(['responseHeaders', undefined])
    const reply = await stream.ask(answerBody('hello'))
    expect([kindOf(reply), replaced(reply)]).toEqual(['responseBody', undefined])
    expect(seen.calls.slice(1)).toEqual(['answerHead 200', 'answerBody hello'])
    expect(server.stats().bodyBytes).toBe(0)
  })

  test('becomes another', async () => {
    const body = Buffer.from('another')
    const { connection } = await serve(whole({ kind: 'replace', edits: { set: [['x-a', '1']], remove: [] }, body }))
    const stream = await answering(connection)
    const reply = await stream.ask(answerBody('hello'))
    expect([replaced(reply), headers(reply)]).toEqual(['another', [['x-a', '1']]])
  })

  const boom = () => {
    throw new Error('answer')
  }
  test.each<[string, Partial<ExchangeHandler>, number]>([
    ['by its handler', whole({ kind: 'refuse', answer: refusal('test.refused') }), 403],
    ['when its handler throws', whole(boom), 503],
    ['when its handler rejects', whole(async () => Promise.reject(new Error('late'))), 503],
    ['when its handler gives nonsense', whole(async () => ({ kind: 'yes' }) as never), 503],
    [
      'when its handler wants an edit that Envoy would skip',
      whole({ kind: 'replace', edits: { set: [['content-length', '1']], remove: [] }, body: Buffer.from('x') }),
      503,
    ],
  ])('is refused: %s', async (_name, handler, status) => {
    const { connection, seen, server } = await serve(handler)
    const stream = await answering(connection)
    expect(statusOf(await stream.ask(answerBody('hello')))).toBe(status)
    expect((await stream.status).code).toBe('OK')
    expect(seen.endings).toEqual(['refused'])
    expect(server.stats().bodyBytes).toBe(0)
  })

  test('counts as a body in memory while it is judged', async () => {
    let judge: (reply: AnswerReply) => void = () => undefined
    const { connection, server } = await serve(
      whole(() => new Promise((resolve) => (judge = resolve))),
      {
        bodiesInMemoryBytes: 9,
      },
    )
    const [one, two] = [await answering(connection), await answering(connection)]
    one.send(answerBody('12345'))
    await until(() => server.stats().bodyBytes === 5)
    expect(detailsOf(await two.ask(answerBody('67890')))).toBe('plumbline.overloaded')
    judge({ kind: 'continue' })
    expect(kindOf(await one.reply())).toBe('responseBody')
    expect(server.stats().bodyBytes).toBe(0)
  })

  test.each(['its body is awaited', 'it is judged'])('is refused when the process stops while %s', async (when) => {
    const { connection, seen, server } = await serve(whole(() => new Promise(() => undefined)))
    const stream = await answering(connection)
    if (when === 'it is judged') {
      stream.send(answerBody('hello'))
      await until(() => seen.calls.includes('answerBody hello'))
    }
    await server.stop()
    expect(detailsOf(await stream.reply())).toBe('plumbline.shutting_down')
    expect(seen.endings).toEqual(['refused'])
  })
})

describe('an answer that is edited', () => {
  interface Edited {
    readonly handler: Partial<ExchangeHandler>
    readonly fed: readonly string[]
    readonly sink: () => AnswerSink
  }

  /** An editor that notes what it is fed and does what is asked; the test may write to its sink as well. */
  function edited(act: (sink: AnswerSink, text: string, last: boolean) => void = () => undefined): Edited {
    const fed: string[] = []
    let sink: AnswerSink | undefined
    const editAnswer = (given: AnswerSink): AnswerEditor => {
      sink = given
      return {
        feed: (raw, last) => {
          const text = Buffer.from(raw).toString()
          fed.push(`${text}${last ? ' last' : ''}`)
          act(given, text, last)
        },
      }
    }
    return {
      handler: { answerHead: () => EDIT, editAnswer },
      fed,
      sink: () => {
        if (sink === undefined) throw new Error('nobody asked for an editor')
        return sink
      },
    }
  }
  const passing = () =>
    edited((sink, text, last) => {
      sink.write(Buffer.from(text))
      if (last) sink.end()
    })

  test('asks for both directions in pieces, and edits the head', async () => {
    const edits = { set: [['x-a', '1']] as const, remove: ['etag'] }
    const { connection } = await serve({ ...edited().handler, answerHead: () => ({ kind: 'edit', edits }) })
    const stream = connection.open(SAID)
    await stream.ask(requestHead({ last: true }))
    const head = await stream.ask(answerHead())
    expect(head['modeOverride']).toMatchObject({ requestBodyMode: 2, responseBodyMode: 4, responseTrailerMode: 1 })
    expect(head['responseHeaders']).toMatchObject({
      response: {
        headerMutation: {
          setHeaders: [{ header: { key: 'x-a', rawValue: Buffer.from('1') } }],
          removeHeaders: ['etag', 'content-length'],
        },
      },
    })
  })

  test('passes, and is complete when its editor has ended it', async () => {
    const { handler, fed } = passing()
    const { connection, seen } = await serve(handler)
    const stream = await answering(connection)
    expect(piece(await stream.ask(answerBody('one', false)))).toBe('one')
    expect(piece(await stream.ask(answerBody('two', false)))).toBe('two')
    expect(piece(await stream.ask(answerBody('', true)))).toBe(' end')
    // What Envoy may repeat is neither fed nor answered.
    stream.send(answerBody('', true))
    stream.halfClose()
    expect((await stream.status).code).toBe('OK')
    expect(stream.untaken).toEqual([])
    expect(fed).toEqual(['one', 'two', ' last'])
    expect(seen.endings).toEqual(['complete'])
  })

  test('only its first piece makes Envoy fail where it ignored the mode', async () => {
    const { connection } = await serve(passing().handler)
    const stream = await answering(connection)
    expect(headers(await stream.ask(answerBody('one', false)))).toEqual([['content-length', '1']])
    expect(headers(await stream.ask(answerBody('two', false)))).toEqual([])
  })

  test('holds without owing anything, and writes of its own accord', async () => {
    const { handler, fed, sink } = edited()
    const { connection } = await serve(handler)
    const stream = await answering(connection)
    for (const text of ['one', 'two']) stream.send(answerBody(text, false))
    await until(() => fed.length === 2)
    expect(stream.untaken).toEqual([])
    sink().write(Buffer.from('mine'))
    expect(piece(await stream.reply())).toBe('mine')
    sink().end()
    expect(piece(await stream.reply())).toBe(' end')
    sink().write(Buffer.from('late'))
    sink().end()
    sink().abort()
    stream.halfClose()
    expect((await stream.status).code).toBe('OK')
    expect(stream.untaken).toEqual([])
  })

  test('that ended in trailers ends with the answer to them', async () => {
    const { connection } = await serve(passing().handler)
    const stream = await answering(connection)
    await stream.ask(answerBody('one', false))
    expect(kindOf(await stream.ask({ responseTrailers: {} }))).toBe('responseTrailers')
  })

  test('leaves in pieces, each in its order', async () => {
    const { handler, sink } = edited()
    const { connection } = await serve(handler)
    const stream = await answering(connection)
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251))
    sink().write(bytes)
    sink().end()
    const pieces: Buffer[] = []
    for (;;) {
      const streamed = common(await stream.reply())?.bodyMutation?.streamedResponse
      pieces.push(streamed?.body ?? Buffer.alloc(0))
      if (streamed?.endOfStream === true) break
    }
    expect(Math.max(...pieces.map((each) => each.length))).toBe(62_000)
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
  })

  const boom = () => {
    throw new Error('editor')
  }
  test.each<[string, () => Partial<ExchangeHandler>, number]>([
    ['its editor aborts', () => edited((sink) => sink.abort()).handler, 0],
    ['its editor throws', () => edited(boom).handler, 1],
    ['there is no editor', () => ({ answerHead: () => EDIT, editAnswer: boom }), 1],
    ['its editor writes what is no bytes', () => edited((sink) => sink.write(undefined as never)).handler, 0],
  ])('ends with an error status, never cleanly: %s', async (_name, handler, causes) => {
    const { connection, seen, server } = await serve(handler())
    const stream = await answering(connection)
    stream.send(answerBody('one', false))
    expect((await stream.status).code).not.toBe('OK')
    expect(stream.untaken).toEqual([])
    expect(seen.endings).toEqual(['failed'])
    expect(seen.causes).toHaveLength(causes)
    expect(server.stats().openStreams).toBe(0)
  })

  test('when the process stops: an error status, and the editor writes to nobody', async () => {
    const { handler, fed, sink } = edited()
    const { connection, seen, server } = await serve(handler)
    const stream = await answering(connection)
    stream.send(answerBody('one', false))
    await until(() => fed.length === 1)
    await server.stop()
    sink().write(Buffer.from('late'))
    sink().end()
    expect((await stream.status).code).toBe('UNAVAILABLE')
    expect(stream.untaken).toEqual([])
    expect(seen.endings).toEqual(['failed'])
  })

  test('when the client leaves: the handler is told, and the editor writes to nobody', async () => {
    const { handler, fed, sink } = edited()
    const { connection, seen } = await serve(handler)
    const stream = await answering(connection)
    stream.send(answerBody('one', false))
    await until(() => fed.length === 1)
    stream.reset()
    await until(() => seen.endings.length > 0)
    sink().write(Buffer.from('late'))
    sink().end()
    sink().abort()
    expect(seen.endings).toEqual(['gone'])
    expect(seen.causes).toEqual([])
  })

  test('the peer that closes its half early gets no clean end', async () => {
    const { handler } = edited()
    const { connection } = await serve(handler)
    const stream = await answering(connection)
    stream.send(answerBody('one', false))
    stream.halfClose()
    expect((await stream.status).code).toBe('CANCELLED')
  })

  describe('that is written faster than Envoy takes it', () => {
    const PIECE = Buffer.alloc(60_000)
    const writing = async (bodiesInMemoryBytes: number) => {
      const { handler, sink } = edited()
      const running = await serve(handler, { bodiesInMemoryBytes })
      const stream = await answering(running.connection)
      stream.stopReading()
      for (let i = 0; i < 50; i += 1) sink().write(PIECE)
      sink().end()
      return { ...running, stream }
    }

    test('counts as a body in memory until it has left', async () => {
      const { server, stream } = await writing(100 * PIECE.length)
      expect(server.stats().bodyBytes).toBeGreaterThan(10 * PIECE.length)
      stream.readOn()
      for (let i = 0; i < 50; i += 1) await stream.reply()
      expect(piece(await stream.reply())).toBe(' end')
      await until(() => server.stats().bodyBytes === 0)
    })

    test('and is too much for that breaks off, and the end that was written is not sent', async () => {
      const { seen, server, stream } = await writing(20 * PIECE.length)
      stream.readOn()
      expect((await stream.status).code).toBe('UNAVAILABLE')
      expect(stream.untaken.map(piece)).not.toContain(' end')
      expect(seen.endings).toEqual(['failed'])
      expect(server.stats()).toMatchObject({ bodyBytes: 0, openStreams: 0 })
    })
  })

  test('is read no faster than it is written', async () => {
    const big = 'x'.repeat(60_000)
    const { handler, fed } = passing()
    const { connection } = await serve(handler)
    const stream = await answering(connection)
    stream.stopReading()
    for (let i = 0; i < 400; i += 1) stream.send(answerBody(big, false))
    // Until nothing moves any more.
    for (let before = -1; before !== fed.length;) {
      before = fed.length
      await until(() => fed.length > 0)
      await new Promise((done) => setTimeout(done, 100))
    }
    expect(fed.length).toBeLessThan(200)
    stream.readOn()
    for (let i = 0; i < 400; i += 1) expect(piece(await stream.reply()).length).toBe(big.length)
  })
})

describe('an answer that cannot be held or changed', () => {
  const asked = async (handler: Partial<ExchangeHandler>, protocolConfig: object, errors: string[]) => {
    const { connection, seen } = await serve(handler, {
      log: { ...SILENT_LOG, error: (_facts, text) => errors.push(text) },
    })
    const stream = connection.open(SAID)
    await stream.ask({ ...requestHead({ last: true }), protocolConfig })
    return { reply: await stream.ask(answerHead()), seen }
  }
  const BUFFERED = { requestBodyMode: 2, responseBodyMode: 2 }
  const STREAMED = { requestBodyMode: 2, responseBodyMode: 1 }

  test.each([
    ['Envoy keeps it', BUFFERED, true],
    ['Envoy would stream it', STREAMED, false],
    ['Envoy would not show it', { requestBodyMode: 2 }, false],
  ])('is said to the handler: %s', async (_name, modes, expected) => {
    const said: boolean[] = []
    const handler: Partial<ExchangeHandler> = {
      answerHead: (_pairs, _bodyless, rewritable) => {
        said.push(rewritable)
        return { kind: 'none' }
      },
    }
    await asked(handler, modes, [])
    expect(said).toEqual([expected])
  })

  test.each([WHOLE, EDIT])('and a plan that changes it all the same is refused: $kind', async (plan) => {
    const { reply, seen } = await asked({ answerHead: () => plan }, STREAMED, [])
    expect(detailsOf(reply)).toBe('plumbline.plugin_failed')
    expect(seen.causes).toHaveLength(1)
  })

  test.each([
    ['with advice where the modes are the reason', STREAMED, 1],
    ['without where they are not', BUFFERED, 0],
  ])('a refusal at its head is sent, %s', async (_name, modes, count) => {
    const errors: string[] = []
    const plan: AnswerPlan = { kind: 'refuse', answer: refusal('test.refused') }
    const { reply, seen } = await asked({ answerHead: () => plan }, modes, errors)
    expect(detailsOf(reply)).toBe('test.refused')
    expect(seen.endings).toEqual(['refused'])
    expect(errors).toEqual(Array.from({ length: count }, () => expect.stringContaining('response_body_mode') as string))
  })
})
