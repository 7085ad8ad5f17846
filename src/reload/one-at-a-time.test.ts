import { expect, test } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

/** A task whose runs a test ends, one after the other. */
function scripted() {
  const ends: ((how?: Error) => void)[] = []
  const run = oneAtATime(
    () =>
      new Promise<number>((done, fail) => {
        const number = ends.length
        ends.push((how) => (how === undefined ? done(number) : fail(how)))
      }),
  )
  return { run, ends }
}

test('who asks while it runs shares one run that begins afterwards', async () => {
  const { run, ends } = scripted()
  const first = run()
  const later = [run(), run(), run()]
  expect(ends).toHaveLength(1)
  ends[0]?.()
  expect(await first).toBe(0)
  await Promise.resolve()
  expect(ends).toHaveLength(2)
  ends[1]?.()
  expect(await Promise.all(later)).toEqual([1, 1, 1])
})

test('a run that failed keeps no other from running', async () => {
  const { run, ends } = scripted()
  const first = run()
  const second = run()
  ends[0]?.(new Error('first'))
  await expect(first).rejects.toThrow('first')
  ends[1]?.()
  expect(await second).toBe(1)
  const third = run()
  ends[2]?.()
  expect(await third).toBe(2)
})
