import { openClient } from '../../test/support/clients.ts'
import { openedTogether } from '../../test/support/closing.ts'
import type { Closable, Closing } from '../../test/support/closing.ts'
import { startGuard } from '../../test/support/guard.ts'
import type { Guard } from '../../test/support/guard.ts'
import { startUpstream } from '../../test/support/upstream.ts'
import type { Upstream } from '../../test/support/upstream.ts'
import { bringUser } from '../stage/user.ts'
import type { User } from '../stage/user.ts'
import { startAgent } from './agent.ts'
import type { Agent } from './agent.ts'
import { startMailServer } from './mail-server.ts'
import type { MailServer } from './mail-server.ts'
import { startModel } from './model.ts'
import { withoutGate } from './config.ts'
import type { Story } from './story.ts'

/** Where one user follows another at once, in one process, none of them counts as active any more when the next one asks. */
const BACK_TO_BACK = { session: { linger: 0 } } as const

/** Everybody who plays: real Envoy, real Plumbline, and small servers on ports of this machine. */
export interface Scene extends Closable {
  readonly guard: Guard
  readonly agent: Agent
  readonly mail: MailServer
  readonly evil: Upstream
  readonly user: User
  /** From now on everybody plays this one of the stories. */
  turnTo(story: Story): void
}

/** For all these stories; it begins with the first. */
export async function setScene(stories: readonly [Story, ...Story[]]): Promise<Scene> {
  return openedTogether((closing) => build(stories, closing))
}

async function build(stories: readonly [Story, ...Story[]], closing: Closing): Promise<Scene> {
  let [story] = stories
  const evil = closing.add(await startUpstream())
  const mail = closing.add(
    await startMailServer(
      () => story.inbox,
      (sent) => deliver(story, evil.port, sent),
    ),
  )
  const model = closing.add(await startModel())
  const agent = closing.add(await startAgent(() => story))
  const names = Object.fromEntries(
    stories.flatMap(({ mailHost, modelHost, evilHost }) => [
      [mailHost, mail.port],
      [modelHost, model.port],
      [evilHost, evil.port],
    ]),
  )
  const config = { ...withoutGate(story), ...(stories.length > 1 ? BACK_TO_BACK : {}) }
  const guard = closing.add(await startGuard({ config, agentPort: agent.port, names, workload: 'mail-agent' }))
  agent.useProxy(guard.envoy.outboundPort)
  const user = closing.add(bringUser(guard.envoy.inboundPort))
  return { guard, agent, mail, evil, user, turnTo: (next) => (story = next), close: () => closing.close() }
}

/** What is mailed to an address of the evil server arrives there. */
async function deliver({ evilHost }: Story, port: number, { to, text }: { to: string; text: string }): Promise<void> {
  if (!to.endsWith(`@${evilHost}`)) return
  const post = openClient('h1', port)
  await post.send({ host: evilHost, path: '/mail', body: text })
  await post.close()
}
