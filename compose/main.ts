import { playAgent } from './agent.ts'
import { playEvil, playMail, playModel } from './servers.ts'
import { playUser } from './user.ts'

/** `node compose/main.ts ROLE`: one of the demo's players, in a container of its own. */
const ROLES: Readonly<Record<string, () => Promise<void>>> = {
  agent: playAgent,
  evil: playEvil,
  mail: playMail,
  model: playModel,
  user: playUser,
}

const [name = ''] = process.argv.slice(2)
const play = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined
if (play === undefined) throw new Error(`Which role? ${Object.keys(ROLES).join(', ')}`)
// A container's first process hears no signal that it did not ask for.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
await play()
