import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Direction } from '../core/exchange.ts'
import { type ChainPlan, planChain } from './chains.ts'
import { check } from './check.ts'
import type { PluginType } from './plugin-type.ts'
import { type Issue, type Path, pathText, type Position, type Problem } from './problem.ts'
import { type Top, topSchema } from './schema.ts'
import type { Environment } from './substitute.ts'
import { readYaml, type Tree } from './yaml.ts'
import { messageOf } from '../core/message-of.ts'

/** A configuration without problems. */
export interface Config extends Omit<Top, 'pipeline'> {
  readonly chains: Readonly<Record<Direction, ChainPlan>>
}

export type Loaded =
  | {
      readonly ok: true
      readonly config: Config
      /** SHA-256 of the text, in hex: tells files apart. */
      readonly digest: string
      readonly positionOf: (path: Path) => Position
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export interface LoadOptions {
  readonly environment: Environment
  /** Every plugin that may be named. */
  readonly types: readonly PluginType[]
}

/** How files are read; whoever watches them sees here what was read. */
export type ReadBytes = (file: string) => Promise<Uint8Array>

const MAX_FILE_BYTES = 1024 * 1024

export async function loadConfig(file: string, options: LoadOptions, read: ReadBytes = readFile): Promise<Loaded> {
  const failed = (message: string): Loaded => ({
    ok: false,
    problems: [{ file, path: [], message, position: undefined }],
  })
  let bytes: Uint8Array
  try {
    bytes = await read(file)
  } catch (error) {
    return failed(`cannot be read: ${messageOf(error)}`)
  }
  if (bytes.length > MAX_FILE_BYTES) return failed(`is larger than ${MAX_FILE_BYTES} bytes`)
  try {
    return readConfig(new TextDecoder('utf-8', { fatal: true }).decode(bytes), file, options)
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      return failed('is not UTF-8 text')
    }
    throw error
  }
}

/** Reads a configuration from its text, and reports everything that is wrong with it at once. */
export function readConfig(text: string, file: string, options: LoadOptions): Loaded {
  const tree = readYaml(text, options.environment)
  const problems: Problem[] = tree.issues.map((issue) => ({ file, ...issue }))
  const add = (issues: readonly Issue[]) => {
    const told = new Set(problems.map((problem) => pathText(problem.path)))
    const fresh = issues.filter((issue) => !told.has(pathText(issue.path)))
    problems.push(...fresh.map((issue) => ({ file, ...issue, position: locate(tree, issue) })))
  }
  if (tree.value === undefined) return { ok: false, problems }

  const top = check(topSchema, tree.value, [])
  if (!top.ok) add(top.issues)
  const inbound = planChain('inbound', entriesOf(tree.value, 'inbound'), options.types)
  const outbound = planChain('outbound', entriesOf(tree.value, 'outbound'), options.types)
  add([...inbound.issues, ...outbound.issues])
  if (!top.ok || problems.length > 0) return { ok: false, problems: problems.sort(byPosition) }

  const { pipeline: _, ...sections } = top.value
  const config: Config = { ...sections, chains: { inbound: inbound.plan, outbound: outbound.plan } }
  const digest = createHash('sha256').update(text).digest('hex')
  return { ok: true, config, digest, positionOf: (path) => tree.positionOf(path) }
}

const locate = (tree: Tree, issue: Issue) =>
  issue.pointsAtKey === true ? tree.keyPositionOf(issue.path) : tree.positionOf(issue.path)

const byPosition = (a: Problem, b: Problem): number =>
  (a.position?.line ?? 0) - (b.position?.line ?? 0) || (a.position?.column ?? 0) - (b.position?.column ?? 0)

/** The entries of a chain, wherever the rest of the file is wrong. */
function entriesOf(value: unknown, direction: Direction): readonly unknown[] {
  const found = ['pipeline', direction, 'plugins'].reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    value,
  )
  return Array.isArray(found) ? found : []
}
