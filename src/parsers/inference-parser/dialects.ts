import { chat } from './chat.ts'
import type { Dialect } from './dialect.ts'
import { prompted } from './prompted.ts'

/** Every dialect, the more telling first. */
const DIALECTS: readonly Dialect[] = [chat, prompted]

export function dialectAt(path: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.ownsPath(path))
}

export function dialectShown(members: ReadonlySet<string>): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.shows(members))
}
