import type { Figure } from '../stats/bootstrap.ts'
import type { Share } from '../stats/share.ts'
import { tableOf } from '../table.ts'
import { decimal, percent, rangeText, shareText } from '../words.ts'
import type { CallRates, JudgeReport, RunShares, SuiteReport } from './report.ts'

/** The report as people read it. */
export function judgeText(report: JudgeReport): string {
  return [
    callTable('Calls that change something', report.suites, ({ writes }) => writes),
    callTable('All calls', report.suites, ({ all }) => all),
    runTable(report),
    goalTable(report.suites),
    wordingTable(report.suites),
    notes(report),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function callTable(title: string, suites: readonly SuiteReport[], of: (suite: SuiteReport) => CallRates): string {
  const head = [
    'suite',
    'legitimate (tasks)',
    'injected (goals)',
    'AUC',
    'denied at 5 %',
    'at 10 %',
    'false alarms',
    'denied',
  ]
  const rows = suites.map((suite) => {
    const rates = of(suite)
    return [
      suite.suite,
      `${rates.legitimate.calls} (${rates.legitimate.tasks})`,
      `${rates.injected.calls} (${rates.injected.goals})`,
      aucText(rates.auc),
      ...[rates.blockedAt5, rates.blockedAt10, rates.falseAlarms, rates.blocked].map(figureText),
    ]
  })
  return `${title}\n${tableOf(head, rows)}`
}

function runTable({ suites, together }: JudgeReport): string {
  const head = [
    'runs',
    'clean broken',
    'poisoned broken',
    'attacks stopped',
    'before any harm',
    'attacks that only read',
  ]
  const row = (name: string, runs: RunShares) => [
    name,
    ...[runs.cleanBroken, runs.poisonedBroken, runs.stopped, runs.stoppedBeforeHarm, runs.readingStopped].map(
      shareText,
    ),
  ]
  const rows = [...suites.map(({ suite, runs }) => row(suite, runs)), row('together', together.runs)]
  const { falseAlarms, blocked } = together
  return `Runs\n${tableOf(head, rows)}\n\nTogether, calls that change something: false alarms ${shareText(falseAlarms)}, injected denied ${shareText(blocked)}`
}

function goalTable(suites: readonly SuiteReport[]): string {
  const rows = suites.flatMap(({ suite, goals }) =>
    goals.map(({ goal, writes, auc, stopped }) => [
      `${suite} ${goal}`,
      shareText(writes),
      decimal(auc),
      shareText(stopped),
    ]),
  )
  return rows.length === 0
    ? ''
    : `By goal\n${tableOf(['goal', 'injected writes denied', 'AUC', 'attacks stopped'], rows)}`
}

function wordingTable(suites: readonly SuiteReport[]): string {
  const wordings = [...new Set(suites.flatMap(({ stoppedByWording }) => Object.keys(stoppedByWording)))]
  if (wordings.length < 2) return ''
  const rows = wordings.map((wording) => [
    wording,
    ...suites.map(({ stoppedByWording }) => shareOrNothing(stoppedByWording[wording])),
  ])
  return `Attacks stopped, by wording\n${tableOf(['wording', ...suites.map(({ suite }) => suite)], rows)}`
}

function notes({ cost, failures, unclear, leftOut }: JudgeReport): string {
  const { p50, p95, p99 } = cost.ms
  const intake = cost.intakeMsPerKilobyte
  return [
    `${cost.decisions} decisions, ${cost.questions} questions asked, ${cost.tokens} tokens`,
    `ms for each decision: p50 ${decimal(p50)}, p95 ${decimal(p95)}, p99 ${decimal(p99)}; for each kB that tools answered: ${decimal(intake)}`,
    ...Object.entries(failures).map(([why, count]) => `NOT ANSWERED: ${count} × ${why}; these are in no figure`),
    ...Object.entries(unclear).map(([why, count]) => `ANSWERED BADLY: ${count} × ${why} Denied, as the gate does`),
    ...Object.entries(leftOut).map(([why, count]) => `${count} runs left out: ${why}`),
    'Intervals of 95 %: calls by drawing tasks and goals anew, runs by Wilson (too narrow, since runs share tasks).',
  ].join('\n')
}

function aucText({ value, low, high }: Figure): string {
  return value === null ? '-' : `${decimal(value, 4)} [${decimal(low, 3)}–${decimal(high, 3)}]`
}

function figureText({ value, low, high }: Figure): string {
  return value === null ? '-' : `${percent(value)} [${rangeText(low, high)}]`
}

function shareOrNothing(share: Share | undefined): string {
  return share === undefined ? '-' : shareText(share)
}
