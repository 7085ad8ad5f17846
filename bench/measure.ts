import { a2aSend } from '../test/support/messages.ts'
import type { Helper } from './children.ts'
import type { Drive, Driven } from './client.ts'
import { post } from './loads.ts'
import type { Load } from './loads.ts'
import type { Rig } from './rig.ts'

export type LoadGenerator = Helper<Drive, Driven>

export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of the processor, per exchange; undefined where there is none. */
  readonly cpuMs: number | undefined
  /** From Envoy to the processor, per exchange. */
  readonly messages: number | undefined
}

/** Fewer, and much of what is measured is code that is being compiled. */
const WARM_UP_EXCHANGES = 6000

/** Lets code be compiled, has a user speak first, and makes sure that the row does what it says. */
export async function warmUp(rig: Rig, load: Load, generator: LoadGenerator, clients: number): Promise<void> {
  const spoken = post('agent.test', '/', a2aSend('Sum up the quarterly report of the northern branch.'))
  await drive(generator, { port: rig.envoy.inboundPort, request: spoken, clients: 1, ms: 0 })
  await drive(generator, {
    port: rig.envoy.outboundPort,
    request: load.request,
    clients,
    ms: 0,
    exchanges: WARM_UP_EXCHANGES,
  })
  if (rig.row.processor.kind !== 'plumbline') return
  const recorded = rig.processor?.takeRecord()?.invocations.map(({ plugin, reason }) => `${plugin} ${reason}`) ?? []
  const missing = rig.row.proof[load.id].filter((entry) => !recorded.includes(entry))
  if (missing.length > 0)
    throw new Error(`${rig.row.title}: no "${missing.join('", "')}" among "${recorded.join('", "')}"`)
}

export async function measure(
  rig: Rig,
  load: Load,
  generator: LoadGenerator,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<Measured> {
  const before = await used(rig)
  const driven = await drive(generator, {
    port: rig.envoy.outboundPort,
    request: load.request,
    clients,
    ms: seconds * 1000,
  })
  const after = await used(rig)
  rig.processor?.takeRecord()
  const { exchanges, p50Ms, p99Ms } = driven
  const each = (what: keyof Used) => (rig.processor ? (after[what] - before[what]) / exchanges : undefined)
  return { perSecond: exchanges / driven.seconds, p50Ms, p99Ms, cpuMs: each('cpuMs'), messages: each('messages') }
}

async function drive(generator: LoadGenerator, asked: Drive): Promise<Driven> {
  const driven = await generator.ask(asked)
  if (driven.wrong > 0) throw new Error(`${driven.wrong} of ${driven.exchanges} exchanges were not answered 200.`)
  return driven
}

interface Used {
  readonly cpuMs: number
  readonly messages: number
}

async function used({ envoy, processor }: Rig): Promise<Used> {
  const sent = Object.values(await envoy.stats('stream_msgs_sent')).reduce((sum, count) => sum + count, 0)
  return { cpuMs: processor?.cpuMs() ?? 0, messages: sent }
}
