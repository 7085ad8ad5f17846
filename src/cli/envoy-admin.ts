import { Agent, request } from 'undici'
import { readBounded } from '../client/bounded.ts'
import { readDump, readRunning } from '../doctor/envoy/dump.ts'
import type { Running } from '../doctor/envoy/setup.ts'
import type { Source } from '../doctor/examine.ts'
import type { Wrong } from './admin-client.ts'
import { messageOf } from '../core/message-of.ts'

export interface EnvoyAnswers {
  readonly source: Source
  readonly running: Running
}

const UNIX = 'unix:'
const TIMEOUT_MS = 10_000
/** A large mesh has large configurations. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024
/** What `readRunning` looks for. */
const COUNTERS = 'failure_mode_allowed|message_timeouts|upstream_cx_destroy_remote_with_active_rq'

/** Asks the admin of a running Envoy what it runs with. It only reads. */
export async function askEnvoy(address: string): Promise<EnvoyAnswers | Wrong> {
  const socket = address.startsWith(UNIX) ? { socketPath: address.slice(UNIX.length) } : {}
  const base = address.startsWith(UNIX) ? 'http://localhost' : `http://${address}`
  if (!URL.canParse(base)) return { wrong: `"${address}" is no host:port and no unix:/path` }
  const dispatcher = new Agent({
    connect: { timeout: TIMEOUT_MS, ...socket },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })
  const text = async (path: string) => {
    const answer = await request(`${base}${path}`, { dispatcher })
    const bytes = await readBounded(answer.body, MAX_ANSWER_BYTES)
    if (bytes === undefined || answer.statusCode !== 200) throw new Error(`${path} is answered ${answer.statusCode}`)
    return Buffer.from(bytes).toString('utf8')
  }
  const json = async (path: string) => JSON.parse(await text(path)) as unknown
  try {
    const info = await json('/server_info')
    const setup = readDump(await json('/config_dump'), await json('/runtime'))
    const stats = await text(`/stats?filter=${encodeURIComponent(COUNTERS)}`)
    return { source: { name: `Envoy on ${address}`, setup }, running: readRunning(info, stats) }
  } catch (error) {
    return {
      wrong: `${address} does not answer as Envoy's admin does: ${messageOf(error)}`,
    }
  } finally {
    await dispatcher.close()
  }
}
