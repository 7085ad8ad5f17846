import { startPlumbline } from '../../src/cli/start.ts'
import { readConfig } from '../../src/config/load.ts'
import type { PluginType } from '../../src/config/plugin-type.ts'
import type { ExchangeRecord } from '../../src/core/record.ts'
import { createObserver } from '../../src/observe/log.ts'
import type { Apart } from './apart.ts'
import type { Closable } from './closing.ts'
import type { PlumblineConfig } from './plumbline.ts'
import { until } from './until.ts'

/** Plumbline in this process, put together as `serve` does it: for plugins that no release has. */
export interface Here extends Closable {
  /** The record of an exchange; waits until it is written. */
  record(requestId: string): Promise<ExchangeRecord>
}

/** Answers where the Envoys of `apart` ask. */
export async function startHere(apart: Apart, types: readonly PluginType[], config: PlumblineConfig): Promise<Here> {
  const text = JSON.stringify({
    ...config,
    listener: { ext_proc_addr: `unix:${apart.socket}`, ...config.listener },
    admin: { address: '127.0.0.1:0' },
  })
  const loaded = readConfig(text, 'plumbline.yaml', { environment: {}, types })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const lines: string[] = []
  const observer = createObserver('info', { write: (line) => void lines.push(line) })
  const settings = { ...loaded, credentials: { token: apart.token } }
  const load = async () => ({ ok: false, problems: [] }) as const
  const running = await startPlumbline(settings, { observer, load, drainPauseMs: 0 })
  const find = (wanted: string) =>
    lines
      .map((line) => JSON.parse(line) as ExchangeRecord & { msg: string })
      .find(({ msg, requestId }) => msg === 'exchange' && requestId === wanted)
  return {
    record: (requestId) => until(`the record of ${requestId}`, () => find(requestId)),
    close: () => running.stop(),
  }
}
