import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { watchFiles } from './watch-files.ts'

let stop = (): void => undefined
afterEach(() => stop())

/** Files that differ as often as a test says; counts who looks and who is told. */
function scripted(differing: number) {
  const seen = { looks: 0, changes: 0 }
  let left = differing
  stop = watchFiles({
    everyMs: 1,
    differs: async () => {
      seen.looks += 1
      return left > 0
    },
    onChange: async () => {
      left -= 1
      seen.changes += 1
    },
  })
  return seen
}

const times = async (look: () => boolean) => {
  while (!look()) await sleep(5)
}

test('tells of each change once, and of nothing when there is none', async () => {
  const seen = scripted(2)
  await times(() => seen.changes === 2)
  const { looks } = seen
  await times(() => seen.looks > looks + 5)
  expect(seen.changes).toBe(2)
})

test('looks no more once it is stopped', async () => {
  const seen = scripted(0)
  await times(() => seen.looks > 0)
  stop()
  const { looks } = seen
  await sleep(20)
  expect(seen.looks).toBe(looks)
})
