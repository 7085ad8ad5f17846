import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
export type Values = Readonly<Record<string, Json>>

/** One `helm template`, with the values that a user would give. */
export interface Case {
  readonly values?: Values
  readonly release?: string
  readonly namespace?: string
  /** `helm lint --strict` as well. */
  readonly lint?: boolean
  /** What the templates do with a value that the schema does not let through. */
  readonly withoutSchema?: boolean
}

/** An object of Kubernetes, as far as every one has the same fields. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly [key: string]: unknown
}

export interface RenderedObject {
  /** The template that it comes from. */
  readonly template: string
  readonly object: KubeObject
  /** Whether Kubernetes itself has this kind; custom resources are checked by their own schemas. */
  readonly known: boolean
  /** What the schemas of Kubernetes say against it. */
  readonly problems: readonly string[]
}

export interface Rendering {
  /** Why Helm refuses these values; nothing is rendered then. */
  readonly error?: string
  readonly objects: readonly RenderedObject[]
  readonly notes: string
}

export interface Lint {
  readonly messages: readonly { readonly severity: number; readonly path: string; readonly error: string }[]
  readonly errors: readonly string[]
}

export interface ChartRun {
  /** The chart's own defaults. */
  readonly values: Values
  readonly schema: Values
  /** One for each case, in order. */
  readonly renderings: readonly Rendering[]
  readonly lints: readonly (Lint | null)[]
}

const CHART = fileURLToPath(new URL('../../charts/plumbline', import.meta.url))
const DRIVER = fileURLToPath(new URL('driver.py', import.meta.url))
const SCRIPT = fileURLToPath(new URL('../../scripts/helm.mjs', import.meta.url))
/** The oldest that the chart says it takes, and the newest that has schemas. */
const KUBERNETES = ['1.29', '1.37']
const LIMIT_MS = 120_000

/** Renders the chart once for each case, all in one process: starting Helm takes longer than rendering. */
export async function runChart(cases: readonly Case[], chart = CHART): Promise<ChartRun> {
  const answer = await ask(JSON.stringify({ chart, kubernetes: KUBERNETES, cases }))
  const run = JSON.parse(answer) as ChartRun
  return { ...run, renderings: run.renderings.map((each) => ({ ...each, objects: each.objects ?? [] })) }
}

/** The rendering of one set of values; throws what Helm says where it refuses them. */
export async function renderChart(values: Values, chart = CHART): Promise<Rendering> {
  const { renderings } = await runChart([{ values }], chart)
  const rendering = renderings[0]
  if (rendering === undefined || rendering.error !== undefined)
    throw new Error(rendering?.error ?? 'Nothing came back.')
  return rendering
}

let packages: string | undefined

function ask(input: string): Promise<string> {
  packages ??= execFileSync(process.execPath, [SCRIPT], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim()
  const env = { ...process.env, PYTHONPATH: packages }
  return new Promise((done, fail) => {
    const child = spawn('python3', [DRIVER], { env, timeout: LIMIT_MS, killSignal: 'SIGKILL' })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece))
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (err += piece))
    child.once('error', fail)
    child.once('close', (code) => {
      if (code === 0) done(out)
      else fail(new Error(`The driver ended with ${code ?? 'a signal'}:\n${err}`))
    })
    child.stdin.end(input)
  })
}
