import { startMailServer } from '../demo/mail/mail-server.ts'
import { startModel } from '../demo/mail/model.ts'
import { drawStory } from '../demo/mail/story.ts'
import { newSeed } from '../demo/stage/draw.ts'
import { json } from '../demo/stage/json.ts'
import { startUpstream } from '../test/support/upstream.ts'
import { expose } from './forward.ts'
import { evilDelivery, HOSTS, servedAt, toldAt } from './places.ts'
import type { EvilTold, MailTold } from './told.ts'

export async function playMail(): Promise<void> {
  const story = drawStory(newSeed(), HOSTS)
  const mail = await startMailServer(
    () => story.inbox,
    async ({ to, text }) => {
      if (!to.endsWith(`@${HOSTS.evilHost}`)) return
      await fetch(`http://${evilDelivery.host}:${evilDelivery.port}/mail`, { method: 'POST', body: text })
    },
  )
  await tell((): MailTold => ({ sent: mail.sent, reads: mail.reads(), secret: story.secret }))
  await expose(servedAt, mail.port)
}

export async function playModel(): Promise<void> {
  const model = await startModel()
  await expose(servedAt, model.port)
}

export async function playEvil(): Promise<void> {
  const evil = await startUpstream()
  await tell((): EvilTold => ({ bytes: evil.bytes(), bodies: evil.arrivals.map(({ body }) => body.toString('utf8')) }))
  await expose(servedAt, evil.port)
}

/** Answers what happened so far. */
async function tell(seen: () => object): Promise<void> {
  const teller = await startUpstream('h1', (_arrival, outgoing) => json(outgoing, 200, seen()))
  await expose(toldAt, teller.port)
}
