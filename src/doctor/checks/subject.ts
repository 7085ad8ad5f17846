import { processorsOf } from '../envoy/processors.ts'
import type { Processor, Setup } from '../envoy/setup.ts'
import type { Tree } from '../envoy/tree.ts'
import type { CheckId } from '../catalogue.ts'
import type { Finding, Mend } from '../finding.ts'
import type { Known } from '../needs.ts'

/** What a check of Envoy's configuration is shown. */
export interface Subject extends Known {
  readonly setup: Setup
  readonly processors: readonly Processor[]
}

export type Check = (subject: Subject) => readonly Finding[]

export const subjectOf = (setup: Setup, known: Known): Subject => ({ ...known, setup, processors: processorsOf(setup) })

/** A check of each filter by itself. */
export function ofEach(id: CheckId, look: (processor: Processor, subject: Subject) => Told | undefined): Check {
  return (subject) =>
    subject.processors.flatMap((processor) => {
      const told = look(processor, subject)
      return told === undefined ? [] : [findingAt(processor, id, told)]
    })
}

export interface Told {
  readonly wrong: string
  readonly mend: Mend
}

export const findingAt = ({ where, listener }: Processor, id: CheckId, told: Told): Finding => ({
  id,
  where,
  ...told,
  listener: listener.name,
})

export const filterLines = (lines: string): Mend => ({ at: 'filter', lines })

/** The cluster of Envoy that leads to Plumbline, where it is known. */
export const clusterOf = ({ setup }: Subject, { cluster }: Processor): Tree | undefined =>
  cluster === undefined ? undefined : setup.clusters.get(cluster)
