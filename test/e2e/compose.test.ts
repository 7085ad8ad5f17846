import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { HOSTS } from '../../compose/places.ts'
import { Closing } from '../support/closing.ts'
import { startGuard } from '../support/guard.ts'
import { isListening } from '../support/listening.ts'
import type { PlumblineConfig } from '../support/plumbline.ts'
import { freePorts } from '../support/ports.ts'
import { startProgram } from '../support/process.ts'
import type { Program } from '../support/process.ts'
import { until } from '../support/until.ts'

/** compose.yaml without containers: the same programs, configuration and Envoy, on ports of this machine. */

const { services } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, { readonly command: readonly string[] }>>
}

type Ports = Readonly<Record<string, number>>

describe('compose.yaml', { timeout: 120_000 }, () => {
  test('ends well with the gate', async () => {
    const { code, text } = await play('with-gate')
    expect(text).not.toContain('✘')
    expect([code, text.match(/✔/g)?.length]).toEqual([0, 6])
  })

  test('ends badly without one: the evil server has the secret', async () => {
    const { code, text } = await play('without-gate')
    expect(text).toContain('✘ the evil server received nothing')
    expect(text).toContain('✘ nobody has the secret')
    expect(code).toBe(1)
  })
})

let closing: Closing
beforeAll(() => {
  closing = new Closing()
})
afterAll(() => closing.close())

async function play(config: string): Promise<{ readonly code: number | string; readonly text: string }> {
  const [mail = 0, mailTold = 0, model = 0, evil = 0, evilTold = 0, agent = 0] = await freePorts(6)
  const names = { [HOSTS.mailHost]: mail, [HOSTS.modelHost]: model, [HOSTS.evilHost]: evil }
  const { pipeline } = parse(readFileSync(`compose/${config}.yaml`, 'utf8')) as PlumblineConfig
  const guard = closing.add(await startGuard({ config: { pipeline }, agentPort: agent, names, workload: 'agent' }))
  const servers = [
    start('evil', { SERVE_PORT: evil, TELL_PORT: evilTold }),
    start('mail', { SERVE_PORT: mail, TELL_PORT: mailTold }, { EVIL: `127.0.0.1:${evil}` }),
    start('model', { SERVE_PORT: model }),
    start('agent', { AGENT_PORT: agent, PROXY_PORT: guard.envoy.outboundPort }),
  ]
  for (const port of [evil, mail, model, agent]) await until(`a server at ${port}`, () => isListening(port))
  const told = { MAIL_TOLD: `127.0.0.1:${mailTold}`, EVIL_TOLD: `127.0.0.1:${evilTold}` }
  const user = start('user', {}, { ...told, ENVOY_INBOUND: `127.0.0.1:${guard.envoy.inboundPort}` })
  const code = await user.ended
  return { code, text: [user, ...servers].flatMap(({ stdout, stderr }) => [...stdout, ...stderr]).join('\n') }
}

/** A service's own command, as its image runs it. */
function start(service: string, ports: Ports, env: NodeJS.ProcessEnv = {}): Program {
  const command = services[service]?.command ?? []
  const args = ['--import', 'tsx', 'compose/main.ts', ...command]
  const numbers = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]))
  return closing.add(startProgram(process.execPath, args, { ...process.env, ...numbers, ...env }))
}
