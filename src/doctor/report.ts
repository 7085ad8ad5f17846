import { type CheckId, factsOf, type Group } from './catalogue.ts'
import type { Diagnosis, Outcome } from './examine.ts'
import { isWrong } from './examine.ts'
import type { Finding, Place } from './finding.ts'

const TITLES: Readonly<Record<Group, string>> = {
  attachment: 'Does the traffic pass through Plumbline',
  processing: 'Does Plumbline see what it has to see',
  speaker: 'Does Plumbline know who speaks',
  link: 'Between Envoy and Plumbline',
  edges: 'Around it, in Envoy',
  plumbline: 'The running Plumbline',
  canaries: 'Canaries',
}

const PLACES: Readonly<Record<Exclude<Place, 'elsewhere'>, string>> = {
  filter: 'typed_config of the ext_proc filter',
  chain: 'http_filters',
  manager: 'typed_config of the HTTP connection manager',
  listener: 'the listener',
  cluster: 'the cluster',
  route: 'the route',
  bootstrap: "Envoy's bootstrap",
  plumbline: "Plumbline's configuration",
}

const MARGIN = 14

/** For people: a sign never stands without a word. */
export function textReport(outcomes: readonly Outcome[], notes: readonly string[]): string {
  const groups = Object.entries(TITLES).map(([group, title]) => {
    const own = outcomes.filter(({ id }) => factsOf(id).group === group)
    return [title, ...own.flatMap(linesOf)].join('\n')
  })
  return [
    ...groups,
    ...(notes.length > 0 ? [['Notes', ...notes.map((note) => `  ${note}`)].join('\n')] : []),
    sumOf(outcomes),
  ].join('\n\n')
}

/** What has several lines, such as a warning with lines of YAML, stays below its first. */
const line = (word: string, id: CheckId, text: string) =>
  `  ${word.padEnd(MARGIN)}${id}: ${text.replaceAll('\n', `\n${' '.repeat(MARGIN + 4)}`)}`

function linesOf(outcome: Outcome): readonly string[] {
  const { id } = outcome
  const { fine, severity } = factsOf(id)
  switch (outcome.kind) {
    case 'fine':
      return [line('✓ fine', id, fine)]
    case 'unchecked':
      return [line('- not checked', id, `${fine}? ${outcome.why}`)]
    case 'found':
      return outcome.findings.flatMap((finding) => [
        line(severity === 'info' ? 'i info' : `✗ ${severity}`, id, `${finding.where}: ${finding.wrong}`),
        ...mendLines(finding),
      ])
  }
}

function mendLines({ mend }: Finding): readonly string[] {
  const place = mend.at === 'elsewhere' ? 'Mend:' : `Mend, in ${PLACES[mend.at]}:`
  const margin = ' '.repeat(MARGIN + 2)
  return [`${margin}${place}`, ...mend.lines.split('\n').map((each) => `${margin}  ${each}`)]
}

function sumOf(outcomes: readonly Outcome[]): string {
  const found = (severity: string) =>
    outcomes.flatMap((each) => (each.kind === 'found' && factsOf(each.id).severity === severity ? each.findings : []))
      .length
  const many = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
  const kind = (wanted: Outcome['kind']) => outcomes.filter((each) => each.kind === wanted).length
  return `${many(found('error'), 'error')}, ${many(found('warning'), 'warning')}; ${kind('fine')} checks fine, ${kind('unchecked')} not made.`
}

/** For machines. */
export function jsonReport(outcomes: readonly Outcome[], notes: Diagnosis['notes']): string {
  const checks = outcomes.map((outcome) => {
    const { group, severity } = factsOf(outcome.id)
    const { id, kind } = outcome
    return {
      id,
      group,
      severity,
      outcome: kind,
      ...(outcome.kind === 'unchecked' ? { why: outcome.why } : {}),
      ...(outcome.kind === 'found'
        ? { findings: outcome.findings.map(({ where, wrong, mend, listener }) => ({ where, listener, wrong, mend })) }
        : {}),
    }
  })
  return JSON.stringify({ ok: !outcomes.some(isWrong), checks, notes }, undefined, 2)
}
