import { isDeepStrictEqual } from 'node:util'
import type { LastReload } from '../admin/health.ts'
import { changedPaths, restartIssues } from '../config/changes.ts'
import { pathText, problemText } from '../config/problem.ts'
import type { Log } from '../observe/log.ts'
import { oneAtATime } from '../reload/one-at-a-time.ts'
import type { LoadedSettings, Settings } from './settings.ts'
import { messageOf } from '../core/message-of.ts'

export type ReloadOutcome =
  /** What the file says is in force; `changed` by path, none when it said so before. */
  | { readonly kind: 'reloaded'; readonly changed: readonly string[] }
  /** What was in force still is. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  | { readonly kind: 'ignored'; readonly why: string }

/** Another configuration, built and tried, that takes no exchange yet. */
export interface Prepared {
  /** From now on it is in force. Does not fail, and nothing happens in between. */
  apply(): void
  /** It is not wanted any more. */
  drop(): void
}

export interface ReloadParts {
  readonly log: Log
  readonly load: () => Promise<LoadedSettings>
  readonly inForce: () => Settings
  readonly prepare: (next: Settings) => Promise<Prepared>
  readonly stopping: () => boolean
  /** For whoever counts. */
  readonly reloaded: (ok: boolean) => void
}

export interface Reloading {
  /** Never rejects. One at a time; who asks meanwhile has a run that begins afterwards. */
  reload(): Promise<ReloadOutcome>
  readonly last: () => LastReload | undefined
}

/** Puts the file in force as a whole, or leaves in force what is. */
export function createReloading(parts: ReloadParts): Reloading {
  const { log } = parts
  let last: LastReload | undefined

  const attempt = async (): Promise<ReloadOutcome> => {
    if (parts.stopping()) return STOPPING
    const loaded = await parts.load()
    if (!loaded.ok) return { kind: 'refused', problems: loaded.problems.map(problemText) }
    const { settings, problemAt } = loaded
    const before = parts.inForce()
    const paths = changedPaths(before.config, settings.config)
    const issues = restartIssues(before.config, paths)
    if (issues.length > 0) {
      return { kind: 'refused', problems: issues.map(({ path, message }) => problemText(problemAt(path, message))) }
    }
    const prepared = await parts.prepare(settings)
    if (parts.stopping()) {
      prepared.drop()
      return STOPPING
    }
    prepared.apply()
    return { kind: 'reloaded', changed: [...paths.map(pathText), ...changedFiles(before, settings)] }
  }

  const run = async (): Promise<ReloadOutcome> => {
    const outcome = await attempt().catch((err: unknown): ReloadOutcome => {
      log.error({ err }, 'a configuration could not be put in force')
      const why = messageOf(err)
      return { kind: 'refused', problems: [`cannot be put in force: ${why}`] }
    })
    if (outcome.kind === 'ignored') {
      log.info({ why: outcome.why }, 'configuration not reloaded')
      return outcome
    }
    const ok = outcome.kind === 'reloaded'
    last = { at: new Date().toISOString(), ok, problems: ok ? [] : outcome.problems }
    if (ok) log.info({ changed: outcome.changed }, 'configuration reloaded')
    else log.error({ problems: outcome.problems }, 'configuration not reloaded')
    parts.reloaded(ok)
    return outcome
  }

  return { reload: oneAtATime(run), last: () => last }
}

const STOPPING: ReloadOutcome = { kind: 'ignored', why: 'the server is stopping' }

/** Files under the same name that hold something else. */
function changedFiles({ credentials: before }: Settings, { credentials: after }: Settings): readonly string[] {
  return [
    ...(before.token === after.token ? [] : ['the token in listener.token_file']),
    ...(isDeepStrictEqual(before.tls, after.tls) ? [] : ['the files in listener.tls']),
    ...(before.adminToken === after.adminToken ? [] : ['the token in admin.token_file']),
  ]
}
