import { openedTogether } from '../../test/support/closing.ts'
import type { Closable, Closing } from '../../test/support/closing.ts'
import { startGuard } from '../../test/support/guard.ts'
import type { Guard } from '../../test/support/guard.ts'
import type { JudgeOption } from '../stage/options.ts'
import { bringUser } from '../stage/user.ts'
import type { User } from '../stage/user.ts'
import { startAgent } from './agent.ts'
import type { Agent } from './agent.ts'
import { startBankServer } from './bank-server.ts'
import type { BankServer } from './bank-server.ts'
import { MESSAGE_TIMEOUT_MS, withoutSparc } from './config.ts'
import { startIntentJudge } from './judge.ts'
import { startModel } from './model.ts'
import type { Model } from './model.ts'
import type { Story } from './story.ts'

/** Everybody who plays: real Envoy, real Plumbline, and small servers on ports of this machine. */
export interface Scene extends Closable {
  readonly guard: Guard
  readonly agent: Agent
  readonly model: Model
  readonly bank: BankServer
  /** ibac's. */
  readonly judge: JudgeOption
  readonly user: User
}

/** `judge`: another one than the script. */
export async function setScene(story: Story, judge: JudgeOption | undefined): Promise<Scene> {
  return openedTogether((closing) => build(story, judge, closing))
}

async function build(story: Story, otherJudge: JudgeOption | undefined, closing: Closing): Promise<Scene> {
  const bank = closing.add(await startBankServer(story.tool))
  const model = closing.add(await startModel(story))
  const scripted = closing.add(await startIntentJudge())
  const judge = otherJudge ?? { endpoint: scripted.url, model: 'intent-only' }
  const agent = closing.add(await startAgent({ ...story, onText: () => model.textArrived() }))
  const guard = closing.add(
    await startGuard({
      config: withoutSparc(story, judge),
      agentPort: agent.port,
      names: { [story.bankHost]: bank.port, [story.modelHost]: model.port },
      workload: 'finance-agent',
      messageTimeoutMs: MESSAGE_TIMEOUT_MS,
    }),
  )
  agent.useProxy(guard.envoy.outboundPort)
  const user = closing.add(bringUser(guard.envoy.inboundPort))
  return { guard, agent, model, bank, judge, user, close: () => closing.close() }
}
