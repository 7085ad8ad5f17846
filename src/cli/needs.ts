import { messageTimeouts, verdictDeadlines } from '../config/deadlines.ts'
import { listenersOf } from '../config/listeners.ts'
import { loadConfig } from '../config/load.ts'
import { problemText } from '../config/problem.ts'
import type { Needs } from '../doctor/needs.ts'
import type { Wrong } from './admin-client.ts'
import { PLUGIN_TYPES } from './plugins.ts'
import { chainsOf } from './silent-chains.ts'

/** What a configuration needs of Envoy; or why that cannot be told here, where a secret of the server may be missing. */
export async function needsOf(file: string): Promise<Needs | Wrong> {
  const loaded = await loadConfig(file, { environment: process.env, types: PLUGIN_TYPES })
  if (!loaded.ok)
    return { wrong: `the configuration cannot be used here: ${loaded.problems.map(problemText).join('; ')}` }
  const { config, digest } = loaded
  const { listener } = config
  return {
    messageTimeoutMs: messageTimeouts(verdictDeadlines(chainsOf(config), listener.verdict_deadline_ms)),
    maxBodyBytes: listener.max_body_bytes,
    maxStreams: listener.max_streams,
    listeners: listenersOf(listener),
    token: listener.token_file !== undefined,
    tls: listener.tls !== undefined,
    routesByHost: listener.routing === 'host',
    digest,
  }
}
