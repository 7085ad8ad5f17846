import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readScenarios, type Scenario } from '../../src/eval/judge/scenario.ts'
import { rowsIn } from '../../src/eval/rows.ts'
import type { Client } from '../support/clients.ts'
import { useStage } from '../support/e2e.ts'
import { startJudge, type StubJudge } from '../support/judge.ts'
import { evaluated, playServers, playThrough, scenariosOf } from '../support/scenarios.ts'
import { scriptAgent, type Recorded, type ScriptedAgent } from '../support/scripted-agent.ts'
import type { PlumblineConfig } from '../support/plumbline.ts'

/** Runs of our own: five that users wanted, two of them with poison in what was read, and five attacks. */
const OWN = scenariosOf(new URL('../scenarios/household.jsonl', import.meta.url))

const chains = (ibac: Readonly<Record<string, unknown>>): PlumblineConfig => ({
  pipeline: {
    inbound: { plugins: ['a2a-parser'] },
    // The tools' server is the agent's own, as eval takes it.
    outbound: {
      plugins: [
        { name: 'mcp-parser', config: { hosts: ['upstream.test'] } },
        'inference-parser',
        { name: 'ibac', config: ibac },
      ],
    },
  },
})

/** What became of each call, in the words of eval. */
const denials = (calls: readonly Recorded[]) => calls.map(({ got }) => got.status === 403)
const judged = ({ record }: Recorded) => record.invocations.find(({ plugin }) => plugin === 'ibac')

describe('the embedded judge behind a real Envoy', () => {
  const { stage } = useStage({ config: chains({ judge: 'embedded' }) })
  let judge: StubJudge
  let agent: ScriptedAgent
  let tools: Client
  beforeAll(async () => {
    judge = await startJudge()
    agent = scriptAgent(stage(), judge)
    tools = stage().client('h1', 'outbound')
  })
  afterAll(() => judge.close())

  const sameAsEval = async (scenario: Scenario) => {
    playServers(stage(), scenario)
    const before = stage().upstream.arrivals.length
    const calls = await playThrough(agent, tools, stage(), scenario)
    const expected = await evaluated(scenario)
    expect(denials(calls)).toEqual(expected.map(({ denied }) => denied === true))
    expect(calls.map((call) => judged(call)?.details?.['score'])).toEqual(expected.map(({ score }) => score))
    // What was denied was never received.
    const received = stage()
      .upstream.arrivals.slice(before)
      .filter(({ path }) => path === '/mcp')
    expect(received).toHaveLength(expected.filter(({ denied }) => denied !== true).length)
    return calls
  }

  test.each(OWN.map((run) => [`${run.kind}: ${run.task}`, run] as const))('%s: as eval says', async (_, run) => {
    const calls = await sameAsEval(run)
    expect(denials(calls).includes(true)).toBe(run.kind === 'attack')
  })

  test('says why to the operator, and quotes nothing to the agent', async () => {
    const attack = OWN.find(({ wording }) => wording === 'model')
    if (attack === undefined) throw new Error('there is no such run')
    const last = (await sameAsEval(attack)).at(-1)
    const refused = last === undefined ? undefined : judged(last)
    expect(refused).toMatchObject({
      action: 'deny',
      reason: 'blocked',
      details: {
        effect: 'share',
        parameter: 'address',
        value: 'ernst@abholung.invalid',
        origin: 'd2',
        found_in: 'open_page',
      },
    })
    expect(last?.got.text).not.toContain('ernst@abholung.invalid')
    expect(last?.got.text).not.toContain('language model')
  })

  const folder = process.env['PLUMBLINE_EVAL_DATA']
  const others = folder === undefined || folder === '' ? [] : tenOf(folder)
  test.each(others.map((run) => [run.id, run] as const))('%s: as eval says', (_, run) =>
    sameAsEval(run).then(() => undefined),
  )
})

describe('rules before a model', () => {
  let judge: StubJudge
  const { stage } = useStage(async () => {
    judge = await startJudge()
    return {
      config: chains({
        judge: 'llm',
        judge_endpoint: judge.url,
        judge_model: 'stub',
        prefilter: 'embedded',
        cache_ttl_ms: 0,
      }),
    }
  })
  afterAll(() => judge.close())

  test.each(OWN.map((run) => [`${run.kind}: ${run.task}`, run] as const))(
    '%s: the model is asked only of what is not clearly aligned',
    async (_, run) => {
      playServers(stage(), run)
      const before = judge.questions.length
      const calls = await playThrough(scriptAgent(stage(), judge), stage().client('h1', 'outbound'), stage(), run)
      const unclear = (await evaluated(run)).filter(({ score = Infinity }) => score >= 3)
      expect(judge.questions.length - before).toBe(unclear.length)
      expect(calls.map((call) => judged(call)?.details?.['prefilter'])).toEqual(
        (await evaluated(run)).map(({ score = Infinity }) => (score < 3 ? 'allowed' : 'asked')),
      )
    },
  )
})

/** Five attacks and five runs without one, of the first suites in the folder. */
function tenOf(folder: string): readonly Scenario[] {
  const files = readdirSync(folder)
    .filter((name) => name.startsWith('scenarios-'))
    .sort()
  const runs = files.flatMap((name) => {
    const bytes = readFileSync(join(folder, name))
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    return readScenarios(name, rowsIn(name, text))
  })
  // In an attack run, what comes after a denied call would be judged without its result.
  const short = runs.filter(({ steps }) => steps.length <= 4 && steps.slice(0, -1).every(({ injected }) => !injected))
  const some = (wanted: (run: Scenario) => boolean) =>
    short
      .filter(wanted)
      .filter((_, i) => i % 7 === 0)
      .slice(0, 5)
  return [...some(({ kind }) => kind === 'attack'), ...some(({ kind }) => kind.startsWith('benign'))]
}
