// `npm run test:sparc-service`: the reflection service against the real ALTK, with a scripted model.
// `-- --litellm` fetches LiteLLM too, and tests the providers that are reached by it. Other arguments name tests.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run } from './run.mjs'
import { serviceEnvironment } from './sparc-service.mjs'

/** How many passed, failed and were skipped. A run without a report failed. */
export async function testSparcService(args = []) {
  const report = join(ROOT, '.cache', `sparc-service-tests-${process.pid}.json`)
  const withLiteLlm = args.includes('--litellm')
  const env = await serviceEnvironment(withLiteLlm)
  const names = args.filter((arg) => arg !== '--litellm')
  const code = await run('python3', ['-m', 'tests', report, ...names], {
    cwd: join(ROOT, 'sparc-service'),
    env: { ...env, TEST_LITELLM: withLiteLlm ? 'true' : '' },
  })
  try {
    const seen = JSON.parse(readFileSync(report, 'utf8'))
    return { ...seen, failed: Math.max(seen.failed, code === 0 ? 0 : 1) }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  } finally {
    rmSync(report, { force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const { passed, failed, skipped } = await testSparcService(process.argv.slice(2))
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0
}
