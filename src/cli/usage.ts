import { parseArgs } from 'node:util'
import { unknownName } from '../config/nearest.ts'

export const USAGE = `Usage:
  plumbline serve --config FILE     run the ext_proc server
  plumbline validate FILE [--json]  check a configuration; lists warnings and what to set in Envoy
  plumbline version                 print the version
  plumbline --help                  print this

Exit codes: 0 fine; 1 it failed while running; 2 wrong configuration or wrong use.`

export type Command =
  | { readonly name: 'serve'; readonly file: string }
  | { readonly name: 'validate'; readonly file: string; readonly json: boolean }
  | { readonly name: 'version' | 'help' }

export type Usage = Command | { readonly name: 'wrong'; readonly message: string }

const COMMANDS = ['serve', 'validate', 'version']

const wrong = (message: string): Usage => ({ name: 'wrong', message })

/** What the words after `plumbline` ask for. */
export function readUsage(words: readonly string[]): Usage {
  let parsed
  try {
    parsed = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    })
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
  const { values, positionals } = parsed
  const [name, ...rest] = positionals
  if (values.help === true) return { name: 'help' }
  if (values.version === true) return { name: 'version' }
  if (name === undefined) return wrong('a command is missing')
  if (!COMMANDS.includes(name)) return wrong(unknownName('command', name, COMMANDS))
  if (name !== 'serve' && values.config !== undefined) return wrong(`${name} takes no --config`)
  if (name !== 'validate' && values.json !== undefined) return wrong(`${name} takes no --json`)
  if (name !== 'validate' && rest.length > 0) return wrong(`${name} takes no "${rest[0]}"`)

  if (name === 'version') return { name: 'version' }
  if (name === 'serve') {
    return values.config === undefined ? wrong('serve needs --config FILE') : { name: 'serve', file: values.config }
  }
  const [file, ...more] = rest
  if (file === undefined || more.length > 0) return wrong('validate needs one FILE')
  return { name: 'validate', file, json: values.json === true }
}
