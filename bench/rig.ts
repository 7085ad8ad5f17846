import { join } from 'node:path'
import { openedTogether } from '../test/support/closing.ts'
import type { Closable } from '../test/support/closing.ts'
import { startEnvoy } from '../test/support/envoy.ts'
import type { Envoy } from '../test/support/envoy.ts'
import { freePorts } from '../test/support/ports.ts'
import { scratchFolder } from '../test/support/scratch.ts'
import { withoutProcessor } from '../test/support/sidecar.ts'
import { JUDGE_PATH, REFLECTOR_PATH } from './far-side-paths.ts'
import { MODEL_HOST, TOOLS_HOST } from './loads.ts'
import { startFloorProcess, startPlumblineProcess } from './processors.ts'
import type { Place, RunningProcessor } from './processors.ts'
import type { Row, ServiceUrls } from './rows.ts'

/** Longer than any gate of a row may take. */
const ENVOY_WAITS_MS = 40_000

/** One row's Envoy with its processor, waiting to be measured. */
export interface Rig extends Closable {
  readonly row: Row
  readonly envoy: Envoy
  readonly processor: RunningProcessor | undefined
}

export function startRig(row: Row, farSidePort: number, profile?: string): Promise<Rig> {
  return openedTogether(async (closing) => {
    const folder = closing.add(await scratchFolder()).path
    const [adminPort = 0] = await freePorts(1)
    const place = { folder, adminPort, socket: join(folder, 'p.sock'), profile }
    const processor = await startProcessor(row, place, farSidePort)
    if (processor !== undefined) closing.add(processor)
    const envoy = closing.add(
      await startEnvoy({
        folder,
        values: {
          agentPort: farSidePort,
          plumblineAdminPort: adminPort,
          plumblineSocket: place.socket,
          workload: 'bench',
          names: { [TOOLS_HOST]: farSidePort, [MODEL_HOST]: farSidePort },
          tls: undefined,
          messageTimeoutMs: ENVOY_WAITS_MS,
        },
        change: (rendered) => quiet(row.processor.kind === 'none' ? withoutProcessor(rendered) : rendered),
      }),
    )
    return { row, envoy, processor, close: () => closing.close() }
  })
}

async function startProcessor(
  { processor }: Row,
  place: Place,
  farSidePort: number,
): Promise<RunningProcessor | undefined> {
  switch (processor.kind) {
    case 'none':
      return undefined
    case 'floor':
      return startFloorProcess(place)
    case 'plumbline':
      return startPlumblineProcess(place, processor.config(servicesAt(farSidePort)))
  }
}

function servicesAt(farSidePort: number): ServiceUrls {
  const far = `http://127.0.0.1:${farSidePort}`
  return { judge: `${far}${JUDGE_PATH}`, reflector: `${far}${REFLECTOR_PATH}` }
}

/** Without Envoy's access log, which would be written to this very process. */
function quiet(rendered: string): string {
  return JSON.stringify(JSON.parse(rendered), (key, value: unknown) => (key === 'access_log' ? undefined : value))
}
