import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { renderChart } from '../charts/helm.ts'
import { merged, TRANSPARENT } from '../charts/matrix.ts'
import { containersOf, fileIn, podsOf } from '../charts/workloads.ts'
import { scratchFolder } from '../support/scratch.ts'

/*
 * The rules of the transparent variant, set by the very script that the chart renders, in a network of Linux that is this
 * test's own. It takes root and the packet filter's programs; where they are not, nothing is tested here.
 */

const AGENT = 10_001
const OTHER = 1000
const ROOT = 0
const GATE = 65_532

/** Of the pod; behind it there is nobody, so what goes there is refused by a rule, answered by Envoy, or has left. */
const POD = '10.9.0.2'
const WORLD = '10.9.0.9'
const WORLD_6 = 'fd00::9'
const NAME_SERVER = '10.9.0.53'
const NAME_SERVER_6 = 'fd00::53'

const LISTENERS = [
  { user: GATE, host: '0.0.0.0', port: 8000 },
  { user: GATE, host: '127.0.0.1', port: 3128 },
  { user: GATE, host: '0.0.0.0', port: 9094 },
  { user: AGENT, host: '127.0.0.1', port: 8001 },
]

/** A network with a way out that ends nowhere, over both protocols. */
const NETWORK = `
ip link set lo up
ip link add out type veth peer name behind
ip link set behind up
ip link set out arp off up
ip address add ${POD}/24 dev out
ip -6 address add fd00::2/64 dev out nodad
`

interface Attempt {
  readonly user: number
  readonly by: 'tcp' | 'udp'
  readonly host: string
  readonly port: number
}

type Row = readonly [by: Attempt['by'], host: string, port: number, fate: string]

/** Whoever is neither Envoy nor Plumbline. */
const CAPTURED: readonly Row[] = [
  ['tcp', WORLD, 80, '3128'],
  ['tcp', WORLD, 8000, '3128'],
  ['tcp', WORLD_6, 80, 'refused'],
  ['udp', WORLD, 443, 'refused'],
  ['udp', WORLD, 53, 'refused'],
  ['udp', WORLD_6, 443, 'refused'],
  ['udp', WORLD_6, 53, 'refused'],
  ['udp', NAME_SERVER, 53, 'left'],
  ['udp', NAME_SERVER, 443, 'refused'],
  ['udp', NAME_SERVER_6, 53, 'left'],
  // Its own pod: to say what a user asks is for those outside of it.
  ['tcp', '127.0.0.1', 8000, 'refused'],
  ['tcp', POD, 8000, 'refused'],
  ['tcp', '127.0.0.1', 9094, 'refused'],
  ['tcp', POD, 9094, 'refused'],
  ['tcp', '127.0.0.1', 3128, '3128'],
  ['tcp', '127.0.0.1', 8001, '8001'],
]
const LET_ALONE: readonly Row[] = [
  ['tcp', WORLD, 80, 'left'],
  ['tcp', WORLD_6, 80, 'left'],
  ['udp', WORLD, 53, 'left'],
  ['tcp', '127.0.0.1', 8001, '8001'],
  ['tcp', '127.0.0.1', 9094, '9094'],
  // By the doctor; Envoy itself refuses this address. The pod's it does not know, and would carry a request of the agent's there.
  ['tcp', '127.0.0.1', 8000, '8000'],
  ['tcp', POD, 8000, 'refused'],
]

const ROWS = [
  ...[AGENT, OTHER, ROOT].flatMap((user) => CAPTURED.map((row) => ({ user, row }))),
  ...LET_ALONE.map((row) => ({ user: GATE, row })),
].map(({ user, row: [by, host, port, fate] }) => ({ attempt: { user, by, host, port }, fate }))

const TITLED = ROWS.map(({ attempt: { user, by, host, port }, fate }, i) => ({
  title: `user ${user}, ${by} to ${host} port ${port}: ${fate}`,
  fate,
  i,
}))

const captures = canCapture()
if (!captures) console.warn('The rules of capture were NOT run: they need root, network namespaces and iptables.')

test('IPv4 is led to Envoy, IPv6 is refused, and only the gate is let alone', async () => {
  const rendering = await renderChart(merged(TRANSPARENT, { sidecar: { agentUid: AGENT } }))
  const [v4 = '', v6 = ''] = ['rules.v4', 'rules.v6'].map((file) => fileIn(rendering, '-capture', file))
  expect(v4).toContain('-j REDIRECT')
  expect(v6).toContain('-j REJECT')
  for (const rules of [v4, v6]) expect(rules).toContain(`--uid-owner ${GATE}`)
})

if (captures)
  describe('what the rules make of who sends', () => {
    let fates: readonly string[] = []
    beforeAll(async () => {
      fates = await tryAll(ROWS.map(({ attempt }) => attempt))
    }, 120_000)

    test.each(TITLED)('$title', ({ fate, i }) => {
      expect(fates[i]).toBe(fate)
    })
  })

function canCapture(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    execFileSync('unshare', ['-n', 'sh', '-ec', `${NETWORK}iptables-save; ip6tables-save`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function tryAll(attempts: readonly Attempt[]): Promise<readonly string[]> {
  const folder = await scratchFolder()
  try {
    const resolvers = join(folder.path, 'resolv.conf')
    await writeFile(resolvers, `search cluster.local\nnameserver ${NAME_SERVER}\nnameserver ${NAME_SERVER_6}%out\n`)
    const rules = join(folder.path, 'capture')
    await mkdir(rules)
    const rendering = await renderChart(merged(TRANSPARENT, { sidecar: { agentUid: AGENT } }))
    for (const file of ['rules.v4', 'rules.v6']) {
      await writeFile(join(rules, file), fileIn(rendering, '-capture', file) ?? '')
    }
    const capture = podsOf(rendering)
      .flatMap(containersOf)
      .find(({ name }) => name === 'capture')
    const script = (capture?.args?.[0] ?? '')
      .replaceAll('/capture/', `${rules}/`)
      .replaceAll('/etc/resolv.conf', resolvers)
    const probe = join(import.meta.dirname, '..', 'support', 'capture', 'probe.mjs')
    const args = [process.execPath, probe, JSON.stringify({ listeners: LISTENERS, attempts })]
    const whole = `${NETWORK}(${script}\n)\nexec "$@"`
    const out = execFileSync('unshare', ['-n', 'sh', '-ec', whole, 'sh', ...args], {
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })
    return JSON.parse(out) as readonly string[]
  } finally {
    await folder.close()
  }
}
