import { CHECK_IDS, type CheckId, factsOf, type Group, type Input } from './catalogue.ts'
import { CONFIGURATION_CHECKS } from './checks/index.ts'
import { hotRestart } from './checks/edges.ts'
import { envoyOld, exchangesLost, passedUnjudged } from './checks/link.ts'
import { type Subject, subjectOf } from './checks/subject.ts'
import type { Running, Setup } from './envoy/setup.ts'
import type { Finding, Unchecked } from './finding.ts'
import type { Known } from './needs.ts'

/** What was found, what could not be looked at, and what the reader should know beside it. */
export interface Diagnosis {
  readonly findings: readonly Finding[]
  readonly unchecked: readonly Unchecked[]
  readonly notes: readonly string[]
}

export const NOTHING: Diagnosis = { findings: [], unchecked: [], notes: [] }

export function together(parts: readonly Diagnosis[]): Diagnosis {
  return {
    findings: parts.flatMap(({ findings }) => findings),
    unchecked: parts.flatMap(({ unchecked }) => unchecked),
    notes: parts.flatMap(({ notes }) => notes),
  }
}

export interface Source {
  /** The file, or the address. */
  readonly name: string
  readonly setup: Setup
}

/** Looks at every source; what two of them show is told once. */
export function examineEnvoy(sources: readonly Source[], running: Running | undefined, known: Known): Diagnosis {
  const subjects = sources.map(({ setup }) => subjectOf(setup, known))
  const found = subjects.flatMap((subject) => Object.values(CONFIGURATION_CHECKS).flatMap((check) => check(subject)))
  const [subject] = subjects
  const counted =
    running === undefined || subject === undefined
      ? []
      : [...envoyOld(running), ...passedUnjudged(running), ...exchangesLost(running, subject), ...hotRestart(running)]
  return {
    findings: [...distinct(found), ...counted],
    unchecked: subjects.length > 0 ? nothingToSee(subjects) : [],
    notes: sources.flatMap(({ name, setup }) => setup.unread.map((what) => `Not seen in ${name}: ${what}`)),
  }
}

function distinct(findings: readonly Finding[]): readonly Finding[] {
  const key = ({ id, where, wrong }: Finding) => JSON.stringify([id, where, wrong])
  return [...new Map(findings.map((finding) => [key(finding), finding])).values()]
}

/** Groups of checks that look at our filter: without one, finding nothing means nothing. */
const OF_THE_FILTER: readonly Group[] = ['processing', 'speaker']
const ALSO_OF_THE_FILTER: readonly CheckId[] = [
  'filter_disabled',
  'filter_late',
  'upgrade_unseen',
  'upgrade_refused',
  'reset_flood',
  'cluster_unusable',
  'streams_differ',
  'paths_unlike',
  'retries',
  'reply_rewritten',
]

function nothingToSee(subjects: readonly Subject[]): readonly Unchecked[] {
  const listeners = subjects.some(({ setup }) => setup.listeners.some(({ managers }) => managers.length > 0))
  if (!listeners) return unchecked(CHECK_IDS.filter(isOfEnvoy), 'no HTTP listener was found')
  if (subjects.some(({ processors }) => processors.length > 0)) return []
  return unchecked(CHECK_IDS.filter(isOfTheFilter), 'no ext_proc filter was found')
}

const isOfEnvoy = (id: CheckId) => factsOf(id).needs.includes('envoy') && id !== 'envoy_admin_open'
const isOfTheFilter = (id: CheckId) => OF_THE_FILTER.includes(factsOf(id).group) || ALSO_OF_THE_FILTER.includes(id)

export const unchecked = (ids: readonly CheckId[], why: string): readonly Unchecked[] => ids.map((id) => ({ id, why }))

/** Why an input is not there; absent for one that is. */
export type Lacking = Readonly<Partial<Record<Input, string>>>

export type Outcome =
  | { readonly id: CheckId; readonly kind: 'fine' }
  | { readonly id: CheckId; readonly kind: 'found'; readonly findings: readonly Finding[] }
  | { readonly id: CheckId; readonly kind: 'unchecked'; readonly why: string }

/** One outcome for every check that there is: what was not looked at is never fine. */
export function outcomes(diagnosis: Diagnosis, lacking: Lacking): readonly Outcome[] {
  return CHECK_IDS.map((id): Outcome => {
    const findings = diagnosis.findings.filter((finding) => finding.id === id)
    if (findings.length > 0) return { id, kind: 'found', findings }
    const missing = factsOf(id).needs.map((input) => lacking[input])
    const why = [...missing, diagnosis.unchecked.find((each) => each.id === id)?.why].find((each) => each !== undefined)
    return why === undefined ? { id, kind: 'fine' } : { id, kind: 'unchecked', why }
  })
}

/** An `info` is worth knowing and nothing to mend. */
export const isWrong = (outcome: Outcome): boolean =>
  outcome.kind === 'found' && factsOf(outcome.id).severity !== 'info'
