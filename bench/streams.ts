import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { STREAM_PATH } from './far-side-paths.ts'
import { MODEL_HOST } from './loads.ts'
import { median } from './numbers.ts'
import type { Rig } from './rig.ts'
import { grid } from './table.ts'

/** What the client of one stream waited for, milliseconds since it asked. */
interface Waited {
  readonly firstByteMs: number
  readonly firstTextMs: number
  readonly wholeMs: number
}

export interface StreamSummary extends Waited {
  readonly row: string
}

const ASKED = JSON.stringify({
  model: 'm',
  stream: true,
  messages: [
    { role: 'system', content: 'You help with documents.' },
    { role: 'user', content: 'Look for the northern branches.' },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'search_documents', parameters: { type: 'object', properties: { query: { type: 'string' } } } },
    },
  ],
})

/** Fewer, and much of what is measured is code that is being compiled. */
const WARM_UP = 2000
/** As many as the reflection service is asked at once. */
const WARM_UP_CLIENTS = 64

/** Streams one completion with a tool call after the other, the rows taking turns. */
export async function compareStreams(rigs: readonly Rig[], rounds: number): Promise<readonly StreamSummary[]> {
  const agent = new Agent({ keepAlive: true })
  const all = rigs.map((rig) => ({ rig, waited: [] as Waited[] }))
  try {
    for (const { rig } of all) await warmUp(rig, agent)
    for (let round = 0; round < rounds; round += 1) {
      for (const { rig, waited } of all) waited.push(await ask(rig, agent))
    }
  } finally {
    agent.destroy()
  }
  return all.map(({ rig, waited }) => {
    const middle = (what: keyof Waited) => median(waited.map((one) => one[what]))
    return {
      row: rig.row.title,
      firstByteMs: middle('firstByteMs'),
      firstTextMs: middle('firstTextMs'),
      wholeMs: middle('wholeMs'),
    }
  })
}

/** Many at once: most of them wait for the reflection service. */
async function warmUp(rig: Rig, agent: Agent): Promise<void> {
  const client = async () => {
    for (let asked = 0; asked < WARM_UP; asked += WARM_UP_CLIENTS) await ask(rig, agent)
  }
  await Promise.all(Array.from({ length: WARM_UP_CLIENTS }, client))
}

function ask(rig: Rig, agent: Agent): Promise<Waited> {
  return new Promise((done, fail) => {
    const began = performance.now()
    const since = () => performance.now() - began
    let text = ''
    let firstByteMs: number | undefined
    let firstTextMs: number | undefined
    const asked = request({
      host: '127.0.0.1',
      port: rig.envoy.outboundPort,
      path: STREAM_PATH,
      method: 'POST',
      agent,
      headers: { host: MODEL_HOST, 'content-type': 'application/json', 'content-length': Buffer.byteLength(ASKED) },
    })
    asked.on('error', fail)
    asked.on('response', (answer) => {
      answer.on('error', fail)
      answer.on('data', (piece: Buffer) => {
        firstByteMs ??= since()
        text += piece.toString('latin1')
        if (firstTextMs === undefined && text.includes('look')) firstTextMs = since()
      })
      answer.on('end', () => {
        const whole = answer.statusCode === 200 && text.includes('search_documents') && text.includes('[DONE]')
        if (!whole) fail(new Error(`${rig.row.title}: the stream did not arrive whole: ${answer.statusCode} ${text}`))
        else done({ firstByteMs: firstByteMs ?? NaN, firstTextMs: firstTextMs ?? NaN, wholeMs: since() })
      })
    })
    asked.end(ASKED)
  })
}

export function streamTable(summaries: readonly StreamSummary[]): string {
  const figures = summaries.map((one) => [one.row, ...[one.firstByteMs, one.firstTextMs, one.wholeMs].map(shown)])
  return grid(['', 'first byte ms', 'first text ms', 'whole ms'], figures)
}

const shown = (ms: number): string => ms.toFixed(2)
