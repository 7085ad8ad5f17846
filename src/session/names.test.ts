import { expect, test } from 'vitest'
import { LIMITS } from './limits.ts'
import { nameKey } from './names.ts'

test('parts of a key cannot blend: every different scope, kind and name has its own', () => {
  const keys = [
    nameKey({ workload: 'a', subject: 'b' }, 'context', 'c'),
    nameKey({ workload: 'ab', subject: '' }, 'context', 'c'),
    nameKey({ workload: '', subject: 'ab' }, 'context', 'c'),
    nameKey({ workload: 'a', subject: 'b' }, 'task', 'c'),
    nameKey({ workload: 'a', subject: 'b","context' }, 'context', 'c'),
    nameKey({ workload: 'a', subject: 'b' }, 'context', 'c","context","c'),
    nameKey({ workload: 'a', subject: 'b' }, 'context', 'c'.repeat(100_000)),
    nameKey({ workload: 'a', subject: 'b' }, 'context', 'c'.repeat(100_001)),
  ]
  expect(new Set(keys).size).toBe(keys.length)
  expect(Math.max(...keys.map((key) => key.length))).toBeLessThanOrEqual(LIMITS.keyChars)
})
