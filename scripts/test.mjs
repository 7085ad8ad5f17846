// `npm test`: sets itself up, runs every project, and ends with one line that says how many passed and failed.
// `npm run test:e2e` names one project. Other arguments go to vitest (`npm run test:e2e -- smoke`).
// The reflection service, which is Python, is tested when nothing is named.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { envoyBinary } from './envoy.mjs'
import { helmPackages } from './helm.mjs'
import { ROOT, run } from './run.mjs'
import { setup } from './setup.mjs'
import { serviceEnvironment } from './sparc-service.mjs'
import { testSparcService } from './test-sparc-service.mjs'

const PROJECTS = ['unit', 'charts', 'e2e', 'soak']

const args = process.argv.slice(2)
const named = args.filter((arg) => PROJECTS.includes(arg))
const rest = args.filter((arg) => !PROJECTS.includes(arg))
const projects = named.length > 0 ? named : PROJECTS
/** Nothing is left out: then a skipped test is one that should have run. */
const everything = args.length === 0

await setup()
// What cannot be fetched is said now, and not when all else has run.
if (everything) await serviceEnvironment(false)
if (projects.includes('charts') || projects.includes('e2e')) await helmPackages()
const env = { ...process.env, ENVOY_BIN: await envoyBinary() }
console.log(`Envoy: ${env.ENVOY_BIN}`)

const report = join(ROOT, '.cache', `tests-${process.pid}.json`)
mkdirSync(dirname(report), { recursive: true })
const code = await run(
  process.execPath,
  [
    join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...rest,
  ],
  { env },
)
const suites = [count(code), ...(everything ? [await testSparcService()] : [])]
const { passed, failed, skipped } = sum(suites)
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
const whole = suites.every((suite) => suite.passed > 0) && !(everything && skipped > 0)
process.exitCode = failed > 0 || !whole ? 1 : 0

function sum(counts) {
  const add = (name) => counts.reduce((total, each) => total + each[name], 0)
  return { passed: add('passed'), failed: add('failed'), skipped: add('skipped') }
}

/** A run that failed without a failed test (a file that does not load, an error outside of tests) counts as one. */
function count(exitCode) {
  const seen = readReport()
  const failures = Math.max(seen.failed + seen.brokenFiles, exitCode === 0 ? 0 : 1)
  return { passed: seen.passed, failed: failures, skipped: seen.skipped }
}

function readReport() {
  try {
    const found = JSON.parse(readFileSync(report, 'utf8'))
    // Those that failed around their tests: they do not load, or what stands before the tests fails.
    const broken = found.testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
    )
    return {
      passed: found.numPassedTests,
      failed: found.numFailedTests,
      skipped: found.numPendingTests + found.numTodoTests,
      brokenFiles: broken.length,
    }
  } catch {
    return { passed: 0, failed: 0, skipped: 0, brokenFiles: 1 }
  } finally {
    rmSync(report, { force: true })
  }
}
