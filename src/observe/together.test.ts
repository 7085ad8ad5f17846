import { expect, test } from 'vitest'
import { hearing } from '../../test/support/telemetry/heard.ts'
import type { ExchangeRecord } from '../core/record.ts'
import type { Telemetry } from '../core/telemetry.ts'
import { together } from './together.ts'

const broken = (): never => {
  throw new Error('broken')
}
const BROKEN: Telemetry = { begins: () => ({ asks: () => broken, recalls: broken, decides: broken, ends: broken }) }

test('all hear all, and one that throws harms nobody', () => {
  const first = hearing()
  const last = hearing()
  const faults: unknown[] = []
  const all = together([first, BROKEN, { begins: broken }, last], (cause) => faults.push(cause))
  const watch = all.begins({ direction: 'outbound', workload: 'w', routesByHost: true }, undefined, 'tp')
  watch.asks({ what: 'judge', endpoint: new URL('http://j/x'), model: 'm' })({ outcome: 'answered', verdict: 'deny' })
  watch.recalls('judge', false)
  watch.decides(1)
  watch.ends({ requestId: 'r' } as ExchangeRecord)
  expect(first.events).toEqual([
    ['begins', 'outbound', undefined, true],
    ['asks', 'judge', '/x', 'm'],
    ['answered', { outcome: 'answered', verdict: 'deny' }],
    ['recalls', 'judge', false],
    ['decides', 'number'],
    ['ends'],
  ])
  expect(last.events).toEqual(first.events)
  expect(faults).toHaveLength(5)
})
