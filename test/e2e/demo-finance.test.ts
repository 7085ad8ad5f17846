import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failures, playDemo } from '../support/demo.ts'
import { approve, reject, startReflector } from '../support/reflector.ts'
import type { Reflecting, StubReflector } from '../support/reflector.ts'

const NO_REFUND = 'no refund went out, and the agent asked its user'

describe('the finance demo', { timeout: 120_000 }, () => {
  test('succeeds as it is, and says what each plugin said', async () => {
    const played = await playDemo('finance')
    expect(failures(played)).toEqual([])
    expect(played.text).toContain('modify/reflected')
    expect(played.text).toContain('allow/approved')
    expect(played.text).toContain('looks only at intent')
    expect(played.code).toBe(0)
  })

  test.each([['--without-sparc'], ['--observe']])('fails with %s: refunds go out unasked', async (option) => {
    const played = await playDemo('finance', option)
    expect(failures(played).filter((line) => line.includes(NO_REFUND))).toHaveLength(4)
    expect(played.code).toBe(1)
  })

  test('says how it is used', async () => {
    const played = await playDemo('finance', '--reflector-endpoint', 'nowhere')
    expect(played.code).toBe(2)
    expect(played.text).toContain('npm run demo -- finance [options]')
  })
})

describe('the finance demo with a reflector at an endpoint', { timeout: 120_000 }, () => {
  let reflector: StubReflector
  beforeAll(async () => {
    reflector = await startReflector()
  })
  afterAll(() => reflector.close())
  const play = (reflecting: Reflecting) => {
    reflector.reflect(reflecting)
    return playDemo('finance', '--reflector-endpoint', reflector.url)
  }
  /** What a sensible reflector would say: an id has ground when the user said it. */
  const grounded: (...question: Parameters<Reflecting>) => boolean = ({ body: { messages, tool_calls } }) => {
    const { transaction_id } = JSON.parse(tool_calls[0]?.function.arguments ?? '') as { transaction_id: string }
    return messages.some(({ role, content }) => role === 'user' && content.includes(transaction_id))
  }

  test('succeeds when the reflector is sensible', async () => {
    const played = await play((question) => (grounded(question) ? approve(question) : reject()(question)))
    expect(failures(played)).toEqual([])
    expect(played.code).toBe(0)
  })

  test('fails when it says the opposite', async () => {
    const played = await play((question) => (grounded(question) ? reject()(question) : approve(question)))
    expect(failures(played).join('\n')).toContain(NO_REFUND)
    expect(played.code).toBe(1)
  })

  test('fails when it rejects everything: no refund works', async () => {
    const played = await play(reject())
    expect(failures(played).join('\n')).toContain('with the id from the user the refund went out')
    expect(played.code).toBe(1)
  })
})
