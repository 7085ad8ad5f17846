import type { DoctorUsage } from './usage.ts'

/** Gives the exit code. */
export async function doctor(usage: DoctorUsage): Promise<number> {
  console.error(`${usage.name}: not built yet`)
  return Promise.resolve(1)
}
