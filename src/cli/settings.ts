import type { Config, LoadOptions, ReadBytes } from '../config/load.ts'
import { loadConfig } from '../config/load.ts'
import type { Path, Position, Problem } from '../config/problem.ts'
import { readTls } from '../config/tls.ts'
import { readToken } from '../config/token.ts'
import type { TlsMaterial } from '../core/tls.ts'
import { createSeenFiles, type SeenFiles } from '../reload/seen-files.ts'

/** What the files hold that a configuration names. */
export interface Credentials {
  /** What Envoy must show. */
  readonly token?: string
  /** What opens the secret routes of the admin address. */
  readonly adminToken?: string
  /** Of the listeners on TCP. */
  readonly tls?: TlsMaterial
}

/** All that a server is started with. */
export interface Settings {
  readonly config: Config
  /** Of the configuration's text. */
  readonly digest: string
  readonly credentials: Credentials
}

export type LoadedSettings =
  | { readonly ok: true; readonly settings: Settings; readonly problemAt: ProblemAt }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Points into the file. */
export type ProblemAt = (path: Path, message: string) => Problem

/** A configuration on disk, with the files that it names. */
export interface ConfigFile {
  readonly file: string
  /** Reads all of it anew, and reports everything that is wrong with it at once. */
  load(): Promise<LoadedSettings>
  /** Whether something that the last `load` looked at holds something else by now. */
  differs(): Promise<boolean>
}

export function configFile(file: string, options: LoadOptions): ConfigFile {
  let seen: SeenFiles | undefined
  return {
    file,
    load: async () => {
      const reading = createSeenFiles({ filesOnly: seen !== undefined })
      seen = reading
      return loadSettings(file, options, (each) => reading.read(each))
    },
    differs: async () => (await seen?.differ()) === true,
  }
}

async function loadSettings(file: string, options: LoadOptions, read: ReadBytes): Promise<LoadedSettings> {
  const loaded = await loadConfig(file, options, read)
  if (!loaded.ok) return loaded
  const { config, digest, positionOf } = loaded
  const problemAt = pointer(file, positionOf)
  const named = [
    { path: ['listener', 'token_file'], file: config.listener.token_file, as: 'token' },
    { path: ['admin', 'token_file'], file: config.admin.token_file, as: 'adminToken' },
  ] as const
  const problems: Problem[] = []
  const credentials: { -readonly [Each in keyof Credentials]: Credentials[Each] } = {}
  for (const each of named) {
    if (each.file === undefined) continue
    const found = await readToken(each.file, read)
    if ('wrong' in found) problems.push(problemAt(each.path, found.wrong))
    else credentials[each.as] = found.token
  }
  if (config.listener.tls !== undefined) {
    const found = await readTls(config.listener.tls, read)
    if ('issues' in found) problems.push(...found.issues.map(({ path, message }) => problemAt(path, message)))
    else credentials.tls = found.tls
  }
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, settings: { config, digest, credentials }, problemAt }
}

function pointer(file: string, positionOf: (path: Path) => Position): ProblemAt {
  return (path, message) => ({ file, path, message, position: positionOf(path) })
}
