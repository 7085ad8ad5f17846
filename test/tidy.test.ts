import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

/** The rules of `docs/architecture.md` about who may know what. */
const ROOT = resolve(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')

interface Rule {
  readonly folder: string
  /** Folders of src (or files) whose modules may be imported, besides its own. */
  readonly mayImport: readonly string[]
  readonly packages: readonly RegExp[]
  readonly banned: readonly { readonly word: RegExp; readonly why: string }[]
}

const PROTOCOL_WORDS = { word: /\b(mcp|a2a|openai|json-?rpc|tools\/call)\b/i, why: 'protocols belong to parsers' }
const WIRE_WORDS = {
  word: /\b(protobuf|grpc-js|ProcessingRequest|ProcessingResponse|mode_override)\b/,
  why: 'only extproc knows the wire',
}
const NODE = /^node:/

const RULES: readonly Rule[] = [
  { folder: 'core', mayImport: [], packages: [], banned: [WIRE_WORDS] },
  { folder: 'json', mayImport: ['core'], packages: [NODE], banned: [WIRE_WORDS] },
  { folder: 'http', mayImport: ['core', 'json'], packages: [NODE, /^minimatch$/, /^fzstd$/], banned: [WIRE_WORDS] },
  {
    folder: 'extproc',
    mayImport: ['core'],
    packages: [NODE, /^@grpc\//, /^protobufjs/, /^long$/],
    banned: [PROTOCOL_WORDS],
  },
  {
    folder: 'pipeline',
    mayImport: ['core', 'http', 'parsers/kit'],
    packages: [NODE],
    banned: [PROTOCOL_WORDS, WIRE_WORDS, { word: /\b(ibac|sparc|judge_)\b/, why: 'the pipeline names no plugin' }],
  },
  { folder: 'reload', mayImport: [], packages: [NODE], banned: [PROTOCOL_WORDS, WIRE_WORDS] },
  { folder: 'session', mayImport: ['core'], packages: [NODE], banned: [PROTOCOL_WORDS, WIRE_WORDS] },
  { folder: 'client', mayImport: ['core', 'http', 'json'], packages: [NODE, /^undici$/], banned: [WIRE_WORDS] },
  { folder: 'llm', mayImport: ['core', 'client', 'json'], packages: [NODE], banned: [WIRE_WORDS] },
  {
    folder: 'parsers',
    mayImport: ['core', 'http', 'json', 'config'],
    packages: [NODE, /^zod$/, /^jsonc-parser$/],
    banned: [WIRE_WORDS],
  },
  {
    folder: 'gates',
    mayImport: ['core', 'http', 'json', 'config', 'client', 'llm'],
    packages: [NODE, /^zod$/, /^tldts$/, /^@cfworker\/json-schema$/, /^re2js$/, /^yaml$/],
    banned: [WIRE_WORDS],
  },
  // It reads configurations of Envoy, so it names fields; of the wire it knows only which modes we ask for.
  { folder: 'doctor', mayImport: ['core', 'extproc'], packages: [NODE, /^yaml$/], banned: [] },
  {
    folder: 'eval',
    mayImport: ['core', 'json', 'client', 'llm', 'parsers', 'gates'],
    packages: [NODE, /^zod$/],
    banned: [WIRE_WORDS],
  },
  {
    folder: 'observe',
    mayImport: ['core'],
    packages: [NODE, /^pino$/, /^prom-client$/, /^@opentelemetry\//],
    banned: [],
  },
]

function sources(folder: string): readonly string[] {
  return readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith('.ts') && !f.endsWith('.test.ts'))
    .map((f) => join(SRC, folder, f))
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from|import)\s+'([^']+)'/g)].map((m) => m[1] ?? '')
}

/** Comments may name what the code must not know. */
function code(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '')
}

describe.each(RULES)('src/$folder', (rule) => {
  const files = sources(rule.folder)

  test('has source files', () => {
    expect(files.length).toBeGreaterThan(0)
  })

  test('imports only what it may', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((spec) => {
          if (!spec.startsWith('.')) return !rule.packages.some((p) => p.test(spec))
          const target = relative(SRC, resolve(dirname(file), spec))
          return ![rule.folder, ...rule.mayImport].some((f) => target.startsWith(`${f}/`))
        })
        .map((spec) => `${relative(ROOT, file)} imports ${spec}`),
    )
    expect(wrong).toEqual([])
  })

  test('does not speak of what it must not know', () => {
    const wrong = files.flatMap((file) =>
      rule.banned
        .filter(({ word }) => word.test(code(file)))
        .map(({ word, why }) => `${relative(ROOT, file)} says ${word.exec(code(file))?.[0]}: ${why}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('plugins', () => {
  test.each(['parsers', 'gates'])('%s never import each other', (kind) => {
    const wrong = sources(kind).flatMap((file) => {
      const own = relative(join(SRC, kind), file).split('/')[0] ?? ''
      if (own === 'index.ts') return []
      return importsOf(file)
        .filter((spec) => spec.startsWith('.'))
        .map((spec) => relative(SRC, resolve(dirname(file), spec)))
        .filter((target) => {
          if (target.startsWith(`${kind}/kit/`) || target.startsWith(`${kind}/${own}/`)) return false
          return target.startsWith('parsers/') || target.startsWith('gates/')
        })
        .map((target) => `${relative(ROOT, file)} imports ${target}`)
    })
    expect(wrong).toEqual([])
  })
})

test('only observe imports what logs, counts and traces', () => {
  const theirs = /^(pino|prom-client|@opentelemetry\/.*)$/
  const wrong = sources('.').filter(
    (f) => importsOf(f).some((spec) => theirs.test(spec)) && !relative(SRC, f).startsWith('observe/'),
  )
  expect(wrong.map((f) => relative(ROOT, f))).toEqual([])
})

test('nothing names a machine path or a package registry', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const wrong = files
    .split('\n')
    .filter((f) => /\.(ts|mjs|js|md|ya?ml|json|proto|sh)$/.test(f) && f !== 'test/tidy.test.ts')
    .filter((f) => existsSync(join(ROOT, f)))
    .filter((f) => /\/work\/|\/root\/|registry\.npmjs|pypi\.org/.test(readFileSync(join(ROOT, f), 'utf8')))
  expect(wrong).toEqual([])
})

test('every relative link in a document leads somewhere', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const broken = files
    .split('\n')
    .filter((f) => f !== '' && existsSync(join(ROOT, f)))
    .flatMap((f) =>
      [...readFileSync(join(ROOT, f), 'utf8').matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
        .map((m) => m[1] ?? '')
        .filter((link) => !leads(join(ROOT, f), link))
        .map((link) => `${f}: ${link}`),
    )
  expect(broken).toEqual([])
})

/** The file is there, and so is the heading that a fragment names. */
function leads(from: string, link: string): boolean {
  const [path = '', fragment] = link.split('#', 2)
  const target = path === '' ? from : resolve(dirname(from), path)
  if (!existsSync(target)) return false
  if (fragment === undefined) return true
  const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)].map((m) => slug(m[1] ?? ''))
  return headings.includes(fragment)
}

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-')
}
