import type { Findings } from '../config/findings.ts'
import type { Log } from '../observe/log.ts'

const NOTHING: Findings = { failsOpen: [], warnings: [] }

/** Says what is worth knowing of a configuration and was not `known` before. */
export function announceFindings(log: Log, { failsOpen, warnings }: Findings, known: Findings = NOTHING): void {
  for (const setting of failsOpen.filter((each) => !known.failsOpen.includes(each))) {
    log.warn({ setting }, 'a setting in force lets something pass unchecked')
  }
  for (const warning of warnings.filter((each) => !known.warnings.includes(each))) {
    log.warn({ warning }, 'configuration warning')
  }
}
