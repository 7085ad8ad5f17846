import { readFileSync } from 'node:fs'
import { embeddedJudge } from '../../src/eval/judge/embedded.ts'
import { play, type Decision } from '../../src/eval/judge/play.ts'
import { readScenarios, type Scenario, type Step } from '../../src/eval/judge/scenario.ts'
import { rowsIn } from '../../src/eval/rows.ts'
import { RESULTS_BYTES } from '../../src/gates/ibac/config.ts'
import { MCP_HEADERS, mcpCall, a2aAnswer, a2aSend } from './messages.ts'
import type { Client } from './clients.ts'
import { sayJson, type Recorded, type ScriptedAgent } from './scripted-agent.ts'
import type { Stage } from './stage.ts'

/** As the gate has it by default. */
const AS_SHIPPED = { denyAt: 5, maxResultsBytes: RESULTS_BYTES }

/** Runs of an agent, in the form of `plumbline eval`. */
export function scenariosOf(file: URL): readonly Scenario[] {
  return readScenarios(file.pathname, rowsIn(file.pathname, readFileSync(file, 'utf8')))
}

/** What `plumbline eval` says of each step. */
export async function evaluated(scenario: Scenario): Promise<readonly Decision[]> {
  return (await play(scenario, embeddedJudge(AS_SHIPPED))).decisions
}

/**
 * The tools' server and the model's, in one: a tool answers as the run has it, and the model proposes the next step.
 * Which step that is stands in the request, so that nothing has to be in order.
 */
export function playServers(stage: Stage, scenario: Scenario): void {
  stage.upstream.answer((arrival, outgoing) => {
    const body = JSON.parse(arrival.body.toString('utf8')) as { id: number; messages?: readonly unknown[] }
    if (arrival.path === '/v1/chat/completions') {
      // The system's, the user's, and two for each step that is done.
      const done = ((body.messages?.length ?? 0) - 2) / 2
      return sayJson(completion(scenario.steps[done], done))(arrival, outgoing)
    }
    const content = [{ type: 'text', text: scenario.steps[body.id]?.answer ?? '' }]
    return sayJson(JSON.stringify({ jsonrpc: '2.0', id: body.id, result: { content } }))(arrival, outgoing)
  })
}

/** Plays a run through the gate: before each call the agent shows its model all that it has seen. */
export async function playThrough(
  agent: ScriptedAgent,
  tools: Client,
  stage: Stage,
  scenario: Scenario,
): Promise<readonly Recorded[]> {
  const turn = await agent.open({ body: a2aSend(scenario.intent) })
  const headers = { ...MCP_HEADERS, 'x-plumbline-session': turn.handle ?? '' }
  const send = async (path: string, body: string): Promise<Recorded> => {
    const got = await tools.send({ host: 'upstream.test', path, body, headers })
    return { got, record: await stage.plumbline().record(got.requestId) }
  }
  const calls: Recorded[] = []
  for (const [at, { tool, args }] of scenario.steps.entries()) {
    await send('/v1/chat/completions', question(scenario, at))
    calls.push(await send('/mcp', mcpCall(tool, args, at)))
  }
  await turn.answer(a2aAnswer('Done.'))
  return calls
}

function question({ system, intent, tools, steps }: Scenario, at: number): string {
  return JSON.stringify({
    model: 'scripted',
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: intent },
      ...steps.slice(0, at).flatMap((step, i) => [
        { role: 'assistant', content: null, tool_calls: [proposal(step, i)] },
        { role: 'tool', tool_call_id: `call_${i}`, content: step.answer },
      ]),
    ],
    tools: [...tools.values()].map((spec) => ({ type: 'function', function: spec })),
  })
}

function proposal({ tool, args }: Step, at: number): unknown {
  return { id: `call_${at}`, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }
}

function completion(step: Step | undefined, at: number): string {
  const message =
    step === undefined
      ? { role: 'assistant', content: 'Done.' }
      : { role: 'assistant', content: null, tool_calls: [proposal(step, at)] }
  const choices = [{ index: 0, message, finish_reason: step === undefined ? 'stop' : 'tool_calls' }]
  return JSON.stringify({ id: 'c', object: 'chat.completion', created: 0, model: 'scripted', choices })
}
