import { expect, test } from 'vitest'
import { sparsely } from './log.ts'

test('a message is written the first time, and each time that its number has doubled', () => {
  const written: string[] = []
  const log = sparsely((facts, message) => written.push(`${message} ${String(facts['times'])}`))
  for (let i = 0; i < 9; i += 1) log({}, 'a')
  log({}, 'b')
  expect(written).toEqual(['a 1', 'a 2', 'a 4', 'a 8', 'b 1'])
})
