import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { minimatch } from 'minimatch'

/**
 * What a container engine would make of a Dockerfile, as far as ours go: the files that COPY brings into each stage, with
 * .dockerignore obeyed, and the commands of RUN that this knows. It pulls no base image and needs no network.
 */
const ROOT = resolve(import.meta.dirname, '../..')

export interface Built {
  /** Where the stage's root folder lies. */
  readonly folder: string
  readonly entrypoint: readonly string[]
  readonly user: string
}

interface Instruction {
  readonly name: string
  readonly rest: string
}

interface Stage {
  readonly name: string
  readonly steps: readonly Instruction[]
}

/** Builds all stages below `scratch`; the last has the name ''. */
export function buildImage(scratch: string): ReadonlyMap<string, Built> {
  const built = new Map<string, Built>()
  const stages = stagesOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))
  for (const [at, { name, steps }] of stages.entries()) {
    const last = at === stages.length - 1
    built.set(last ? '' : name, buildStage(join(scratch, `stage-${at}`), steps, built))
  }
  return built
}

function stagesOf(dockerfile: string): readonly Stage[] {
  const lines = dockerfile.replaceAll(/^\s*#.*\n/gm, '').replaceAll('\\\n', ' ')
  const stages: { name: string; steps: Instruction[] }[] = []
  for (const line of lines.split('\n').filter((text) => text.trim() !== '')) {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? []
    if (name === 'FROM') stages.push({ name: / AS (\S+)$/.exec(rest)?.[1] ?? '', steps: [] })
    else stages.at(-1)?.steps.push({ name, rest })
  }
  return stages
}

function buildStage(folder: string, steps: readonly Instruction[], built: ReadonlyMap<string, Built>): Built {
  let workdir = '/'
  let entrypoint: readonly string[] = []
  let user = ''
  for (const { name, rest } of steps) {
    const here = join(folder, workdir)
    switch (name) {
      case 'WORKDIR':
        workdir = rest
        mkdirSync(join(folder, workdir), { recursive: true })
        break
      case 'COPY':
        copy(rest, here, built)
        break
      case 'RUN':
        for (const command of rest.split(' && ')) runs(command.trim(), here)
        break
      case 'ENTRYPOINT':
        entrypoint = JSON.parse(rest) as readonly string[]
        break
      case 'USER':
        user = rest
        break
      case 'LABEL':
      case 'ENV':
      case 'CMD':
        break
      default:
        throw new Error(`This does not know ${name}.`)
    }
  }
  return { folder, entrypoint, user }
}

function copy(rest: string, here: string, built: ReadonlyMap<string, Built>): void {
  const words = rest.split(/\s+/)
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = paths.pop() ?? ''
  for (const path of paths) {
    const source = from === undefined ? join(ROOT, path) : join(built.get(from)?.folder ?? '', path)
    const to = target.endsWith('/') ? join(here, target, path) : join(here, target)
    if (from === undefined) copyContext(source, to)
    // Nobody looks at the earlier stage again, and thousands of files are moved at once.
    else renameSync(source, to)
  }
}

/** Only what .dockerignore lets through. */
function copyContext(source: string, to: string): void {
  if (statSync(source).isDirectory()) {
    for (const entry of readdirSync(source)) copyContext(join(source, entry), join(to, entry))
  } else if (!isIgnored(relative(ROOT, source))) {
    mkdirSync(dirname(to), { recursive: true })
    cpSync(source, to)
  }
}

const PATTERNS = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

/** The last pattern that fits a path, or a folder above it, decides. */
function isIgnored(path: string): boolean {
  const folders = path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))
  const fits = (pattern: string) => folders.some((folder) => minimatch(folder, pattern, { dot: true }))
  return PATTERNS.reduce((ignored, pattern) => {
    const letsIn = pattern.startsWith('!')
    return fits(letsIn ? pattern.slice(1) : pattern) ? !letsIn : ignored
  }, false)
}

/** Commands of the Dockerfile, done with what `npm ci` has installed here. */
function runs(command: string, here: string): void {
  const modules = join(here, 'node_modules')
  if (command.startsWith('npm ci --ignore-scripts')) {
    symlinkSync(join(ROOT, 'node_modules'), modules)
  } else if (command === 'npm run build') {
    execFileSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', 'tsconfig.build.json'], { cwd: here })
  } else if (command.startsWith('npm prune --omit=dev')) {
    rmSync(modules)
    for (const path of productionPackages()) cpSync(join(ROOT, path), join(here, path), { recursive: true })
  } else {
    throw new Error(`This does not know how to run: ${command}`)
  }
}

/** Folders of the packages that the lock file has for more than development; what they need lies beside them or in them. */
export function productionPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path]) => path)
    .filter((path) => path.lastIndexOf('node_modules/') === 0 && existsSync(join(ROOT, path)))
}
