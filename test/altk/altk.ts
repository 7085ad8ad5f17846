import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const RUN = fileURLToPath(new URL('../../scripts/altk.mjs', import.meta.url))
const PROGRAM = fileURLToPath(new URL('syntax.py', import.meta.url))

export interface AltkQuestion {
  readonly tools: readonly unknown[]
  readonly calls: readonly {
    readonly id: string
    readonly type: 'function'
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

export interface AltkAnswer {
  readonly decision: string
  readonly issues: readonly (readonly [type: string, name: string])[]
}

/** What ALTK's syntax track says of each question; one process for all of them, which fails if it asks a model. */
export function askAltk(questions: readonly AltkQuestion[]): readonly AltkAnswer[] {
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('')
  const output = execFileSync(process.execPath, [RUN, PROGRAM], { input, encoding: 'utf8', maxBuffer: 1 << 26 })
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AltkAnswer)
}
