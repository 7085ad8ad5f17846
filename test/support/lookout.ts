import { expect } from 'vitest'
import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Asked, Client, Got } from './clients.ts'
import type { StubJudge } from './judge.ts'
import { sightOf } from './sight.ts'
import type { Stage } from './stage.ts'
import type { Upstream } from './upstream.ts'
import { sha256 } from './upstream.ts'

/** A request, and all that was said about it. */
export interface Observed {
  readonly got: Got
  readonly record: ExchangeRecord
  /** What the gate did, as `action/reason`, one for each action. */
  readonly ruled: readonly string[]
  /** What the judge was shown for it. */
  readonly questions: readonly string[]
}

/** Watches both ends of what the agent sends. */
export interface Lookout {
  /** It reached the world as it was sent. */
  arrives(asked: Asked): Promise<Observed>
  /** Nothing of it reached the world, not even a connection. */
  isStopped(asked: Asked): Promise<Observed>
}

/** Sends it, and gathers what Plumbline and the judge know of it. */
export async function observe(stage: Stage, judge: StubJudge, client: Client, asked: Asked): Promise<Observed> {
  const before = judge.questions.length
  const got = await client.send(asked)
  const record = await stage.plumbline().record(got.requestId)
  const ruled = record.invocations.filter(({ plugin }) => plugin === 'ibac').map((r) => `${r.action}/${r.reason}`)
  return { got, record, ruled, questions: judge.questions.slice(before).map(({ text }) => text) }
}

export function lookOut(stage: Stage, judge: StubJudge, world: Upstream, client: Client): Lookout {
  return {
    async arrives(asked) {
      const before = world.arrivals.length
      const observed = await observe(stage, judge, client, asked)
      const answer = `${observed.got.text} ${JSON.stringify(observed.record.invocations)}`
      expect(observed.got.status, answer).toBe(200)
      expect(world.arrivals.slice(before).map((arrival) => arrival.sha256)).toEqual([sha256(bytesOf(asked))])
      return observed
    },
    async isStopped(asked) {
      const before = sightOf(world)
      const observed = await observe(stage, judge, client, asked)
      expect(sightOf(world), JSON.stringify(observed.record.invocations)).toEqual(before)
      return observed
    },
  }
}

function bytesOf({ body }: Asked): Uint8Array {
  if (body === undefined) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  return body instanceof Uint8Array ? body : Buffer.concat(body)
}
