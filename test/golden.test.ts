import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenExchange } from '../src/core/handler.ts'
import { createExtProcServer } from '../src/extproc/server.ts'
import type { ExtProcServer } from '../src/extproc/server.ts'
import { connectAsEnvoy } from './support/extproc/as-envoy.ts'
import type { Connection } from './support/extproc/as-envoy.ts'
import { SILENT_LOG } from './support/extproc/handlers.ts'
import { play } from './support/golden/play.ts'
import type { Scripted } from './support/golden/play.ts'
import { setScene } from './support/golden/scene.ts'
import { inMemory, overGrpc } from './support/golden/sides.ts'
import { readThemes } from './support/golden/transcript.ts'
import { startJudge } from './support/judge.ts'
import { startReflector } from './support/reflector.ts'

let scripted: Scripted
let folder: string
let server: ExtProcServer
let connection: Connection
/** Whose turn it is behind the one server. */
let open: OpenExchange

beforeAll(async () => {
  scripted = { judge: await startJudge(), reflector: await startReflector() }
  folder = mkdtempSync(join(tmpdir(), 'plumb-'))
  const address = `unix:${join(folder, 's')}`
  server = createExtProcServer({
    open: (caller) => open(caller),
    listeners: [{ address }],
    defaultWorkload: 'default',
    log: SILENT_LOG,
    drainPauseMs: 0,
    drainDeadlineMs: 0,
  })
  await server.start()
  connection = connectAsEnvoy(address)
})
afterAll(async () => {
  connection.close()
  await server.stop()
  await scripted.judge.close()
  await scripted.reflector.close()
  rmSync(folder, { recursive: true })
})

const themes = readThemes()

test('there are transcripts of every theme', () => {
  expect(themes.map(({ file }) => file)).toEqual([
    '10-headers-only.md',
    '20-bodies.md',
    '30-tools.md',
    '40-refusals.md',
    '50-sessions.md',
    '60-inference.md',
    '70-observe.md',
    '80-unreadable.md',
    '85-grounding.md',
    '90-regressions.md',
  ])
})

const transcripts = themes.flatMap((theme) =>
  theme.transcripts.map((transcript) => [transcript.name, transcript] as const),
)

describe.each(transcripts)('%s', (_name, transcript) => {
  test('in the pipeline', async () => {
    const scene = setScene(transcript.config, scripted)
    await play(transcript, scene, inMemory(scene.open), scripted)
  })

  test('over gRPC', async () => {
    const scene = setScene(transcript.config, scripted)
    open = scene.open
    await play(transcript, scene, overGrpc(connection), scripted)
  })
})
