import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach } from 'vitest'
import type { ExchangeHandler } from '../../../src/core/handler.ts'
import { tokenCheck } from '../../../src/extproc/caller.ts'
import { createExtProcServer } from '../../../src/extproc/server.ts'
import type { ExtProcOptions, ExtProcServer } from '../../../src/extproc/server.ts'
import { connectAsEnvoy } from './as-envoy.ts'
import type { Connection, Wire } from './as-envoy.ts'
import { recordingHandler, SILENT_LOG } from './handlers.ts'
import type { Recording } from './handlers.ts'

export const SAID = {
  'x-plumbline-direction': 'outbound',
  'x-plumbline-workload': 'w',
  'x-plumbline-token': 'secret',
}

export interface Running {
  readonly server: ExtProcServer
  readonly connection: Connection
  readonly address: string
  readonly seen: Recording
}

/** Our server in this process, with a connection from "Envoy"; what a test opened is closed behind it. */
export function useServers() {
  let folder = ''
  const opened: { server: ExtProcServer; connection: Connection }[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plumb-'))
  })
  afterEach(async () => {
    for (const { server, connection } of opened.splice(0)) {
      connection.close()
      await server.stop()
    }
    rmSync(folder, { recursive: true })
  })
  async function serve(
    handler: Partial<ExchangeHandler> = {},
    options: Partial<ExtProcOptions> = {},
  ): Promise<Running> {
    const seen = recordingHandler(handler)
    const address = `unix:${join(folder, `${opened.length}.sock`)}`
    const server = createExtProcServer({
      open: seen.open,
      listeners: [{ address }],
      knowsToken: tokenCheck('secret'),
      defaultWorkload: 'default',
      log: SILENT_LOG,
      drainPauseMs: 0,
      drainDeadlineMs: 0,
      ...options,
    })
    await server.start()
    const connection = connectAsEnvoy(server.addresses[0] ?? '')
    opened.push({ server, connection })
    return { server, connection, address, seen }
  }
  return { serve, opened }
}

/** Until something that other turns of the loop bring about. The test's own limit ends it. */
export async function until(there: () => boolean): Promise<void> {
  while (!there()) await sleep(2)
}

export function kindOf(reply: Wire): unknown {
  return reply['response']
}
export function statusOf(reply: Wire): unknown {
  return (reply['immediateResponse'] as { status?: { code?: number } } | undefined)?.status?.code
}
export function detailsOf(reply: Wire): unknown {
  return (reply['immediateResponse'] as { details?: string } | undefined)?.details
}
