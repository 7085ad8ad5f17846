import { describe, expect, test } from 'vitest'
import { createLimiter } from './limiter.ts'

/** Tasks that end when they are told to. */
function gated() {
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const task = (name: string) => (): Promise<string> => {
    started.push(name)
    return new Promise((resolve) => finish.set(name, () => resolve(name)))
  }
  return { started, task, end: (name: string) => finish.get(name)?.() }
}

const never = new AbortController().signal
/** Lets everything that can happen without a timer happen. */
const settle = () => new Promise((done) => setImmediate(done))

describe('a limiter', () => {
  test('runs so many at once, and the others in the order of their coming', async () => {
    const { started, task, end } = gated()
    const limiter = createLimiter({ running: 2, waiting: 2 })
    const results = ['a', 'b', 'c', 'd'].map((name) => limiter.run(task(name), never))
    await settle()
    expect(started).toEqual(['a', 'b'])
    end('b')
    await settle()
    expect(started).toEqual(['a', 'b', 'c'])
    end('a')
    end('c')
    await settle()
    end('d')
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd'].map((value) => ({ ran: true, value })))
  })

  test('turns away whoever finds the queue full, and takes the next when there is room', async () => {
    const { started, task, end } = gated()
    const limiter = createLimiter({ running: 1, waiting: 1 })
    const first = limiter.run(task('a'), never)
    const second = limiter.run(task('b'), never)
    expect(await limiter.run(task('c'), never)).toEqual({ ran: false, why: 'full' })
    end('a')
    await first
    await settle()
    end('b')
    await second
    void limiter.run(task('d'), never)
    await settle()
    expect(started).toEqual(['a', 'b', 'd'])
  })

  test('does not start what waited too long, and its place in the queue is free again', async () => {
    const { started, task, end } = gated()
    const limiter = createLimiter({ running: 1, waiting: 1 })
    void limiter.run(task('a'), never)
    const leave = new AbortController()
    const late = limiter.run(task('b'), leave.signal)
    leave.abort()
    expect(await late).toEqual({ ran: false, why: 'expired' })
    const next = limiter.run(task('c'), never)
    end('a')
    await settle()
    end('c')
    expect(await next).toEqual({ ran: true, value: 'c' })
    expect(started).toEqual(['a', 'c'])
  })

  test('does not start what is over before it comes', async () => {
    const { started, task } = gated()
    const limiter = createLimiter({ running: 1, waiting: 1 })
    expect(await limiter.run(task('a'), AbortSignal.abort())).toEqual({ ran: false, why: 'expired' })
    expect(started).toEqual([])
  })

  test('goes on after a task that failed', async () => {
    const limiter = createLimiter({ running: 1, waiting: 0 })
    await expect(limiter.run(() => Promise.reject(new Error('broken')), never)).rejects.toThrow('broken')
    expect(await limiter.run(() => Promise.resolve(1), never)).toEqual({ ran: true, value: 1 })
  })
})
