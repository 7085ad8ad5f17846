import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Golden transcripts: what was asked, and by hand what must come of it. `test/golden/README.md` says how they are written.
 */

const FOLDER = join(import.meta.dirname, '../../golden')

const KINDS = ['ask', 'reply', 'answer', 'client', 'record'] as const
export type StepKind = (typeof KINDS)[number]

export interface Step {
  readonly kind: StepKind
  /** Which exchange it is about; exchanges may overlap. */
  readonly exchange: string
  readonly text: string
}

export interface Transcript {
  /** File and line, then the title. */
  readonly name: string
  readonly config: string
  /** What a user asks before the first step; his turn is in flight until the last. */
  readonly user: string | undefined
  /** Texts that its file gives a name to. */
  readonly said: ReadonlyMap<string, string>
  readonly steps: readonly Step[]
}

export interface Theme {
  readonly file: string
  readonly transcripts: readonly Transcript[]
}

export function readThemes(): readonly Theme[] {
  return readdirSync(FOLDER)
    .filter((file) => /^\d.*\.md$/.test(file))
    .sort()
    .map((file) => ({ file, transcripts: transcriptsIn(file) }))
}

export function configOf(name: string): string {
  return readFileSync(join(FOLDER, 'configs', `${name}.yaml`), 'utf8')
}

function transcriptsIn(file: string): readonly Transcript[] {
  const text = readFileSync(join(FOLDER, file), 'utf8')
  const said = new Map([...text.matchAll(/^let (\w+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]))
  return [...text.matchAll(/^## (.*)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].map(
    ({ index, 1: title = '', 2: body = '' }) => {
      const name = `${file}:${text.slice(0, index).split('\n').length} ${title}`
      const [, config] = /^config: (\S+)$/m.exec(body) ?? []
      const [, user] = /^user: (.+)$/m.exec(body) ?? []
      if (config === undefined) throw new Error(`${name}: no line "config: name"`)
      const steps = [...body.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
        ([, kind = '', exchange = '', block = '']): Step => ({
          kind: stepKind(kind, name),
          exchange,
          // The blank line that ends an event has to stay.
          text: kind === 'answer' || kind === 'client' ? block : block.trimEnd(),
        }),
      )
      if (steps.length === 0) throw new Error(`${name}: nothing happens`)
      return { name, config, user, said, steps }
    },
  )
}

function stepKind(kind: string, name: string): StepKind {
  const found = KINDS.find((each) => each === kind)
  if (found === undefined) throw new Error(`${name}: a block is called ${kind}`)
  return found
}

export interface Message {
  readonly first: string
  /** Lines with `~`: what is to be known about the scene. */
  readonly directives: ReadonlyMap<string, string>
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Undefined when no blank line ends the headers. */
  readonly body: string | undefined
}

/** The text of a block: a first line, directives and headers, and after a blank line the body. */
export function messageIn(block: string): Message {
  const [head = '', ...rest] = block.split(/\n\n/)
  const [first = '', ...lines] = head.trimEnd().split('\n')
  const directives = lines.filter((line) => line.startsWith('~')).map((line) => pairIn(line.slice(1).trim(), ' '))
  const headers = lines.filter((line) => !line.startsWith('~')).map((line) => pairIn(line, ': '))
  return { first, directives: new Map(directives), headers, body: rest.length === 0 ? undefined : rest.join('\n\n') }
}

function pairIn(line: string, separator: string): readonly [string, string] {
  const at = line.indexOf(separator)
  if (at < 1) throw new Error(`"${line}" has no "${separator}"`)
  return [line.slice(0, at), line.slice(at + separator.length)]
}

/** Names that a transcript gives to what is drawn at random: written `{{name}}`, the same wherever it stands. */
export class Names {
  readonly #values: Map<string, string>

  constructor(said: ReadonlyMap<string, string>) {
    this.#values = new Map(said)
  }

  /** The text with every name replaced that has a value. */
  filled(text: string): string {
    return text.replaceAll(/\{\{(\w+)\}\}/g, (name, key: string) => this.#values.get(key) ?? name)
  }

  /** The expected text as it would stand, with names that are new here taken from what came. */
  meets(expected: string, actual: string): string {
    const filled = this.filled(expected)
    const keys = [...filled.matchAll(/\{\{(\w+)\}\}/g)].map(([, key = '']) => key)
    const pattern = filled.split(/\{\{\w+\}\}/).map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    const found = new RegExp(`^${pattern.join(String.raw`([\w.-]+)`)}$`).exec(actual)
    keys.forEach((key, position) => {
      const value = found?.[position + 1]
      if (value !== undefined) this.#values.set(key, value)
    })
    return this.filled(expected)
  }
}
