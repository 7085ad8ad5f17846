import { writeFile } from 'node:fs/promises'
import { embeddedJudge } from '../eval/judge/embedded.ts'
import type { JudgeUnderTest } from '../eval/judge/judge.ts'
import { llmJudge, prefiltered } from '../eval/judge/llm.ts'
import { playAll, type Played } from '../eval/judge/play.ts'
import { plotOf } from '../eval/judge/plot.ts'
import { judgeReport, type JudgeReport } from '../eval/judge/report.ts'
import { isSuiteHead, readScenarios, type Scenario } from '../eval/judge/scenario.ts'
import { judgeText } from '../eval/judge/text.ts'
import { RESULTS_BYTES } from '../gates/ibac/config.ts'
import { newRandom, shuffled } from '../eval/random.ts'
import { BadData } from '../eval/rows.ts'
import { DATA_VARIABLE, dataFiles } from './eval-files.ts'
import { NO_JOURNAL, openJournal, type Key } from './eval-journal.ts'
import { newProgress } from './eval-progress.ts'
import type { EvalJudgeUsage } from './eval-usage.ts'
import { version } from './version.ts'

/** The judge's key, where it wants one: what stands on a command line is seen by all. */
const BEARER_VARIABLE = 'PLUMBLINE_EVAL_JUDGE_BEARER'

export async function evalJudge(usage: EvalJudgeUsage): Promise<void> {
  const files = await dataFiles(usage.data, process.env[DATA_VARIABLE], isSuiteHead)
  const suites = files.map(({ file, rows }) => readScenarios(file, rows))
  refuseTwins(files.map(({ file }, at) => ({ file, suite: suites[at]?.[0]?.suite })))
  const scenarios = suites.flatMap((runs) => drawn(runs, usage))
  const key = keyOf(
    usage,
    files.map(({ digest }) => digest),
  )
  const journal = usage.out === undefined ? NO_JOURNAL : openJournal(usage.out, key, usage.resume)
  const played = [...journal.known]
  await playOthers(scenarios, played, usage, (one) => {
    played.push(one)
    journal.add(one)
  })
  const report = judgeReport(scenarios, played, usage.seed)
  if (usage.out !== undefined) {
    const order = new Map(scenarios.map(({ id }, at) => [id, at]))
    const runs = played
      .filter(({ id }) => order.has(id))
      .sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
    const whole = { what: 'judge', version: version(), at: new Date().toISOString(), key, report, runs }
    await writeFile(usage.out, `${JSON.stringify(whole)}\n`)
    journal.close()
  }
  console.log(`${titleOf(usage)}\n\n${judgeText(report)}`)
  // After the figures: a picture that cannot be written does not take them along.
  if (usage.plot !== undefined) await writeFile(usage.plot, plotOf(report.suites, titleOf(usage)))
  refuseSilence(report)
}

/** A wrong endpoint, model or key is no measurement. */
function refuseSilence({ cost, failures }: JudgeReport): void {
  const unanswered = Object.values(failures).reduce((sum, count) => sum + count, 0)
  if (unanswered === 0 || unanswered < cost.questions) return
  throw new Error(
    `No question was answered (${Object.keys(failures).join(', ')}), so nothing was measured: see --judge-endpoint, --judge-model and ${BEARER_VARIABLE}`,
  )
}

/** A run is named by its suite and line. */
function refuseTwins(files: readonly { readonly file: string; readonly suite: string | undefined }[]): void {
  for (const [at, { file, suite }] of files.entries()) {
    const twin = files.slice(0, at).find((other) => suite !== undefined && other.suite === suite)
    if (twin !== undefined) throw new BadData({ file, line: 1 }, `suite "${suite}" is also that of ${twin.file}`)
  }
}

/** So many of each suite: the first ones would be much alike. */
function drawn(runs: readonly Scenario[], { limit, seed }: EvalJudgeUsage): readonly Scenario[] {
  return runs.length <= limit ? runs : shuffled(runs, newRandom(`${seed} ${runs[0]?.suite}`)).slice(0, limit)
}

function keyOf({ judge, denyAt, model, endpoint, prefilter }: EvalJudgeUsage, data: readonly string[]): Key {
  return judge === 'embedded'
    ? { judge, version: version(), denyAt, data }
    : { judge, version: version(), model, endpoint, prefilter, data }
}

async function playOthers(
  scenarios: readonly Scenario[],
  known: readonly Played[],
  usage: EvalJudgeUsage,
  add: (one: Played) => void,
): Promise<void> {
  const done = new Set(known.map(({ id }) => id))
  const left = scenarios.filter(({ id }) => !done.has(id))
  const progress = newProgress(scenarios.length)
  let ended = scenarios.length - left.length
  let failed = 0
  progress.at(ended)
  await playAll(left, judgeOf(usage), usage.concurrency, (one) => {
    add(one)
    ended += 1
    failed += one.decisions.filter(({ failure }) => failure !== undefined).length
    progress.at(ended, failed === 0 ? '' : `${failed} questions not answered`)
  })
  progress.end()
}

function judgeOf({ judge, denyAt, prefilter, ...usage }: EvalJudgeUsage): JudgeUnderTest {
  const rules = embeddedJudge({ denyAt, maxResultsBytes: RESULTS_BYTES })
  if (judge === 'embedded') return rules
  const llm = llmJudge({ ...usage, bearer: process.env[BEARER_VARIABLE] ?? '' })
  return prefilter ? prefiltered(rules, llm) : llm
}

function titleOf({ judge, denyAt, model, prefilter }: EvalJudgeUsage): string {
  const which =
    judge === 'embedded' ? `the embedded judge, deny_at ${denyAt}` : `${model}${prefilter ? ', prefiltered' : ''}`
  return `Plumbline ${version()}: ${which}`
}
