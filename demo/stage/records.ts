import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Guard } from '../../test/support/guard.ts'

/** Plumbline's records since it was started; a stop writes the last of them. */
export async function recordsOf(guard: Guard): Promise<readonly ExchangeRecord[]> {
  const plumbline = guard.plumbline()
  await guard.stopPlumbline('SIGTERM')
  return [...plumbline.records()].sort((a, b) => a.at.localeCompare(b.at))
}
