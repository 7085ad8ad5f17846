import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Client, Got } from '../support/clients.ts'
import { answerWith, DIALECT_SERVERS } from '../support/completions/dialects.ts'
import type { Turn } from '../support/completions/dialects.ts'
import { allow, deny, startJudge } from '../support/judge.ts'
import type { Judging, StubJudge } from '../support/judge.ts'
import { lossesSince, NO_LOSS, readLosses } from '../support/losses.ts'
import type { Losses } from '../support/losses.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import type { PlumblineConfig } from '../support/plumbline.ts'
import { said } from '../support/plumbline.ts'
import { headerOf, scriptAgent } from '../support/scripted-agent.ts'
import { startStage } from '../support/stage.ts'
import type { Stage } from '../support/stage.ts'
import { until } from '../support/until.ts'
import { sayOk } from '../support/upstream.ts'

/*
 * The configuration changes while Plumbline runs. There are two: the judge allows whatever the one asks about, and denies
 * whatever the other asks about; the gate has another id in each, so a record says which of them was at work.
 */

type Which = 'allows' | 'denies'

const STATUS: Readonly<Record<Which, number>> = { allows: 200, denies: 403 }
const INTENT = 'Refund TX-31337.'

let judge: StubJudge
let stage: Stage
let client: Client
let handle: string
let losses: Losses

const pipeline = (which: Which, model: string = which): PlumblineConfig['pipeline'] => {
  const config = {
    ...{ judge_endpoint: judge.url, judge_model: model, judge_completions: true },
    ...{ unclassified_policy: 'judge', no_intent_policy: 'deny', cache_ttl_ms: 0 },
  }
  const outbound = { plugins: ['mcp-parser', 'inference-parser', { name: 'ibac', id: which, config }] }
  return { inbound: { plugins: ['a2a-parser'] }, outbound }
}

/** By the model that is asked for; some are slow to say. */
const byModel: Judging = async (question) => {
  if (question.text.includes('slow')) await sleep(200)
  const { model } = JSON.parse(question.arrival.body.toString()) as { readonly model: string }
  return (model === 'allows' ? allow : deny)(question)
}

beforeAll(async () => {
  judge = await startJudge(byModel)
  stage = await startStage({ config: { pipeline: pipeline('allows') }, env: { MODEL: 'denies' } })
  client = stage.client('h1', 'outbound')
  const script = scriptAgent(stage, judge)
  const turn = await script.open({ body: a2aSend(INTENT) })
  handle = headerOf(turn.arrival, 'x-plumbline-session') ?? ''
  await turn.answer(a2aAnswer('I refund it.'))
})
afterAll(async () => {
  await stage.close()
  await judge.close()
})
beforeEach(async ({ onTestFailed }) => {
  onTestFailed(() => console.error(said(stage.plumbline().program)))
  judge.judge(byModel)
  stage.upstream.answer(sayOk)
  await put(await fileWith({ pipeline: pipeline('allows') }))
  await inForce()
  losses = await readLosses(stage.envoy)
})
afterEach(async () => {
  expect(lossesSince(losses, await readLosses(stage.envoy)), 'exchanges that were lost').toEqual(NO_LOSS)
})

// ---- the file ----

const file = () => stage.plumbline().file
const tokenFile = () => join(dirname(file()), 'token')

/** The text of the file with these sections in it. */
let base: Record<string, unknown> | undefined
async function fileWith(sections: Readonly<Record<string, unknown>>): Promise<string> {
  base ??= JSON.parse(await readFile(file(), 'utf8')) as Record<string, unknown>
  return JSON.stringify({ ...base, ...sections })
}

let written = ''

/** As an editor saves. */
async function put(text: string): Promise<void> {
  written = text
  await writeFile(`${file()}~`, text)
  await rename(`${file()}~`, file())
}

interface Configuration {
  readonly digest: string
  readonly last_reload?: { readonly ok: boolean; readonly problems?: readonly string[] }
}

async function configuration(): Promise<Configuration> {
  const answer = await fetch(`http://127.0.0.1:${stage.adminPort}/readyz`)
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { readonly configuration: Configuration }).configuration
}

/** Waits until the file as it was written last is what holds. */
async function inForce(): Promise<void> {
  const digest = createHash('sha256').update(written).digest('hex')
  await until('the file to be in force', async () => {
    const found = await configuration()
    return found.digest === digest && found.last_reload?.ok !== false ? true : undefined
  })
}

async function hangUp(which: Which): Promise<void> {
  await put(await fileWith({ pipeline: pipeline(which) }))
  stage.plumbline().program.kill('SIGHUP')
  await inForce()
}

// ---- what the agent does ----

function call(what: string, by: Client = client): Promise<Got> {
  const headers = { ...MCP_HEADERS, 'x-plumbline-session': handle }
  const host = by.protocol === 'h1' ? 'upstream.test' : 'upstream2.test'
  return by.send({ host, path: '/mcp', body: mcpCall(what, { id: 'TX-31337' }), headers })
}

/** Which configuration was at work, by the plugins that the record names. */
function atWork({ invocations }: ExchangeRecord): string {
  return [...new Set(invocations.map(({ plugin }) => plugin))].sort().join(' ')
}

const PLUGINS: Readonly<Record<Which, string>> = {
  allows: 'allows inference-parser mcp-parser',
  denies: 'denies inference-parser mcp-parser',
}

async function expectVerdict(which: Which): Promise<void> {
  const { status, requestId } = await call('refund')
  const record = await stage.plumbline().record(requestId)
  expect([status, atWork(record)]).toEqual([STATUS[which], PLUGINS[which]])
  expect(record.session).toEqual({ method: 'handle', certainty: 'exact' })
  expect(judge.questions.at(-1)?.text).toContain(INTENT)
}

test('a hangup: denied, and allowed again; what the user asked for is still known', async () => {
  await expectVerdict('allows')
  await hangUp('denies')
  await expectVerdict('denies')
  await hangUp('allows')
  await expectVerdict('allows')
})

test('a mounted volume whose link is swapped, as kubelet does it: nobody has to say so', async () => {
  const folder = dirname(file())
  const mount = async (generation: string, text: string) => {
    await mkdir(join(folder, generation))
    await writeFile(join(folder, generation, 'plumbline.yaml'), text)
    await symlink(generation, join(folder, '..data_tmp'))
    await rename(join(folder, '..data_tmp'), join(folder, '..data'))
    written = text
  }
  await mount('..first', await fileWith({ pipeline: pipeline('allows') }))
  await symlink('..data/plumbline.yaml', join(folder, 'link'))
  await rename(join(folder, 'link'), file())
  for (const [generation, which] of [['..second', 'denies'] as const, ['..third', 'allows'] as const]) {
    await mount(generation, await fileWith({ pipeline: pipeline(which) }))
    await inForce()
    await expectVerdict(which)
  }
})

test('rewritten in place', async () => {
  written = await fileWith({ pipeline: pipeline('denies') })
  await writeFile(file(), written)
  await inForce()
  await expectVerdict('denies')
})

test('variables are those of the start', async () => {
  await put(await fileWith({ pipeline: pipeline('denies', '${MODEL}') }))
  await inForce()
  await expectVerdict('denies')
})

test('under load, back and forth: nothing is lost, and nothing is judged by a mixture', async () => {
  const CLIENTS = 6
  const SWAPS = 25
  const got: Got[] = []
  let swapping = true
  const clients = Array.from({ length: CLIENTS }, (_, i) => stage.client(i % 2 === 0 ? 'h1' : 'h2', 'outbound'))
  const working = clients.map(async (each, i) => {
    while (swapping) got.push(await call(i % 3 === 0 ? 'slow_refund' : 'refund', each))
  })
  for (let swap = 0; swap < SWAPS; swap += 1) await hangUp(swap % 2 === 0 ? 'denies' : 'allows')
  swapping = false
  await Promise.all(working)

  const seen = { allows: 0, denies: 0 }
  for (const { status, requestId, text } of got) {
    const record = await stage.plumbline().record(requestId)
    const which = atWork(record) === PLUGINS.allows ? 'allows' : 'denies'
    expect([status, atWork(record)], `${text} ${JSON.stringify(record)}`).toEqual([STATUS[which], PLUGINS[which]])
    expect(record.session).toEqual({ method: 'handle', certainty: 'exact' })
    seen[which] += 1
  }
  // Both were at work, or nothing was shown.
  expect(Math.min(seen.allows, seen.denies)).toBeGreaterThan(SWAPS / 4)
})

test('a question that is on its way, and a stream that waits for its call, end on what they began with', async () => {
  let answer = (): void => undefined
  const released = new Promise<void>((done) => (answer = done))
  let waiting = 0
  judge.judge(async (question) => {
    // What the model proposes, and the call that says that it may wait; not the question to the model.
    if (question.text.includes('held_refund')) {
      waiting += 1
      await released
    }
    return byModel(question)
  })
  const [server] = DIALECT_SERVERS
  if (server === undefined) throw new Error('no dialect')
  const turn: Turn = { text: 'I refund it.', calls: [{ id: 'call_1', name: 'held_refund', args: { id: 'TX-31337' } }] }
  stage.upstream.answer((arrival, outgoing) =>
    arrival.path === server.path ? answerWith(server, () => turn)(arrival, outgoing) : sayOk(arrival, outgoing),
  )
  let text = ''
  const streamed = stage.client('h1', 'outbound').send({
    ...{ host: 'upstream.test', path: server.path },
    headers: { 'content-type': 'application/json', 'x-plumbline-session': handle },
    body: JSON.stringify({ model: 'm', max_tokens: 9, stream: true, messages: [{ role: 'user', content: INTENT }] }),
    onPiece: (piece) => (text += piece.toString()),
  })
  const asked = call('held_refund', stage.client('h1', 'outbound'))
  await until('both questions', () => (waiting === 2 ? true : undefined))

  await hangUp('denies')
  await expectVerdict('denies')
  expect(text).not.toContain('held_refund')
  answer()
  const [stream, single] = await Promise.all([streamed, asked])
  expect([stream.status, stream.text]).toEqual([200, server.events(turn).join('')])
  expect(single.status).toBe(200)
  for (const { requestId } of [stream, single]) {
    expect(atWork(await stage.plumbline().record(requestId))).toBe(PLUGINS.allows)
  }
})

test('what is wrong with the file changes nothing, and is said; the next good one holds', async () => {
  const token = await readFile(tokenFile(), 'utf8')
  const spoils: readonly (readonly [string, () => Promise<void>, RegExp])[] = [
    ['syntax', () => put('pipeline: {{'), /not supported YAML/],
    [
      'an unknown plugin',
      async () => put(await fileWith({ pipeline: { outbound: { plugins: ['ibca'] } } })),
      /unknown plugin "ibca"/,
    ],
    [
      'what needs a restart',
      async () => put(await fileWith({ pipeline: pipeline('denies'), session: { ttl: '7m' } })),
      /session\.ttl: needs a restart; in force is 30m/,
    ],
    ['no file', () => unlink(file()), /cannot be read: ENOENT/],
    ['no token', () => unlink(tokenFile()), /listener\.token_file: the token cannot be read: ENOENT/],
  ]
  for (const [name, spoil, problem] of spoils) {
    await spoil()
    await until(name, async () => {
      const { last_reload } = await configuration()
      return last_reload?.ok === false && last_reload.problems?.some((each) => problem.test(each)) ? true : undefined
    })
    await expectVerdict('allows')
    const { stdout } = stage.plumbline().program
    const refused = stdout.filter((line) => line.includes('"configuration not reloaded"')).at(-1) ?? '{}'
    const { level, problems } = JSON.parse(refused) as {
      readonly level?: string
      readonly problems?: readonly string[]
    }
    expect([level, problems]).toEqual(['error', expect.arrayContaining([expect.stringMatching(problem)])])

    await writeFile(tokenFile(), token)
    await hangUp('denies')
    await expectVerdict('denies')
    await hangUp('allows')
  }
})
