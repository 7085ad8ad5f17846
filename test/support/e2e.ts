import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { pluginIds } from './chains.ts'
import { lossesSince, NO_LOSS, readLosses } from './losses.ts'
import type { Losses } from './losses.ts'
import { said } from './plumbline.ts'
import { startStage } from './stage.ts'
import type { Stage, StageOptions } from './stage.ts'

export interface Staged {
  /** The stage of this group of tests. */
  readonly stage: () => Stage
  /** This test puts a fault in: what Envoy will have counted at its end. */
  readonly expectLosses: (expected: Partial<Losses>) => void
}

/**
 * One stage for all tests of the group around it. After each test no exchange may have been lost, unless the test said
 * which; what Envoy and Plumbline printed is shown only for a test that failed.
 */
export function useStage(options: StageOptions | (() => Promise<StageOptions>)): Staged {
  let stage: Stage | undefined
  let before: Losses = NO_LOSS
  let expected: Losses = NO_LOSS
  const running = () => {
    if (stage === undefined) throw new Error('The stage stands only while tests run.')
    return stage
  }
  beforeAll(async () => {
    stage = await startStage(typeof options === 'function' ? await options() : options)
  })
  afterAll(async () => {
    await stage?.close()
  })
  beforeEach(async ({ onTestFailed }) => {
    before = await readLosses(running().envoy)
    expected = NO_LOSS
    onTestFailed(() => {
      console.error(`Envoy:\n${running().envoy.log()}\nPlumbline:\n${said(running().plumbline().program)}`)
    })
  })
  afterEach(async () => {
    expectAllPluginsRecorded(running())
    expect(lossesSince(before, await readLosses(running().envoy)), 'exchanges that were lost').toEqual(expected)
  })
  return {
    stage: running,
    expectLosses: (losses) => {
      expected = { ...NO_LOSS, ...losses }
    },
  }
}

/** What did not run is visible: each record speaks of every plugin of its chain. */
function expectAllPluginsRecorded(stage: Stage): void {
  const { pipeline } = stage.config()
  for (const record of stage.plumbline().records()) {
    if (record.direction === 'unknown') continue
    const recorded = record.invocations.map(({ plugin }) => plugin)
    const configured = pluginIds(pipeline[record.direction])
    expect(recorded, `the record of ${record.requestId}`).toEqual(expect.arrayContaining([...configured]))
  }
}
