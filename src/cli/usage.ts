import { parseArgs } from 'node:util'
import { unknownName } from '../config/nearest.ts'
import { EVAL_OPTIONS, readEvalUsage, WrongUse, type EvalUsage } from './eval-usage.ts'
import { messageOf } from '../core/message-of.ts'

export const USAGE = `Usage:
  plumbline serve --config FILE          run the ext_proc server
  plumbline validate FILE [--json]       check a configuration; lists warnings and what to set in Envoy
  plumbline schema                       print the JSON Schema of the configuration
  plumbline explain REQUEST-ID           why an exchange was refused or passed, of a running server
      [--config FILE | --admin ADDRESS] [--token-file FILE] [--json]
  plumbline doctor                       find what is wrong between Envoy and a running server
      [--config FILE | --admin ADDRESS] [--token-file FILE] [--envoy-config FILE] [--envoy-admin ADDRESS]
      [--outbound URL] [--inbound URL] [--json]
  plumbline eval judge [FILE…]           how good a judge of intent is, on recorded or public agent runs
      [--judge embedded|llm] [--deny-at SCORE] [--judge-endpoint URL] [--judge-model NAME] [--prefilter]
      [--concurrency N] [--timeout-ms N] [--limit RUNS] [--seed TEXT] [--out FILE] [--plot FILE] [--resume]
  plumbline eval reflector [FILE…]       how good the embedded reflector is, on right and on wrong calls
      [--policy default|balanced|strict] [--limit CALLS] [--seed TEXT] [--out FILE]
  plumbline eval import [FILE…]          make runs to measure on from an agent's own conversations
      [--suite NAME] [--limit RUNS] [--out FILE]
  plumbline version                      print the version
  plumbline --help                       print this

  --config FILE        the server's configuration: says where its admin address and token are
  --admin ADDRESS      host:port of the admin address, where there is no file at hand (127.0.0.1:9094)
  --token-file FILE    the token of admin.token_file
  --envoy-config FILE  Envoy's configuration, in YAML or JSON
  --envoy-admin ADDRESS  Envoy's own admin, host:port or unix:/path: what it really runs with
  --outbound URL       Envoy's proxy for the agent, such as http://127.0.0.1:3128: a canary is sent through it
  --inbound URL        Envoy's listener towards the agent, such as http://127.0.0.1:8000: likewise
  --data FILE          same as a FILE of eval, may be given again; without one, the folder in PLUMBLINE_EVAL_DATA

Exit codes: 0 fine; 1 it failed while running, or doctor found something; 2 wrong configuration or wrong use.`

/** Which running server, and what opens its admin address. */
export interface AdminAt {
  readonly config?: string
  readonly admin?: string
  readonly tokenFile?: string
}

export interface DoctorUsage extends AdminAt {
  readonly name: 'doctor'
  readonly envoyConfig?: string
  readonly envoyAdmin?: string
  readonly outbound?: string
  readonly inbound?: string
  readonly json: boolean
}

export interface ExplainUsage extends AdminAt {
  readonly name: 'explain'
  readonly requestId: string
  readonly json: boolean
}

export type Command =
  | { readonly name: 'serve'; readonly file: string }
  | { readonly name: 'validate'; readonly file: string; readonly json: boolean }
  | ExplainUsage
  | DoctorUsage
  | EvalUsage
  | { readonly name: 'schema' | 'version' | 'help' }

export type Usage = Command | { readonly name: 'wrong'; readonly message: string }

const OPTIONS = {
  config: { type: 'string' },
  admin: { type: 'string' },
  'token-file': { type: 'string' },
  'envoy-config': { type: 'string' },
  'envoy-admin': { type: 'string' },
  outbound: { type: 'string' },
  inbound: { type: 'string' },
  json: { type: 'boolean' },
  ...EVAL_OPTIONS,
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

type Option = keyof typeof OPTIONS

interface CommandForm {
  readonly options: readonly Option[]
  readonly words: readonly string[]
  /** More words may follow. */
  readonly open?: true
}

/** What each command takes: its options, and how many words. */
const COMMANDS: Readonly<Record<string, CommandForm>> = {
  serve: { options: ['config'], words: [] },
  validate: { options: ['json'], words: ['FILE'] },
  schema: { options: [], words: [] },
  explain: { options: ['config', 'admin', 'token-file', 'json'], words: ['REQUEST-ID'] },
  doctor: {
    options: ['config', 'admin', 'token-file', 'envoy-config', 'envoy-admin', 'outbound', 'inbound', 'json'],
    words: [],
  },
  eval: { options: Object.keys(EVAL_OPTIONS) as Option[], words: ['of judge, reflector, import'], open: true },
  version: { options: [], words: [] },
}

const wrong = (message: string): Usage => ({ name: 'wrong', message })

/** What the words after `plumbline` ask for. */
export function readUsage(words: readonly string[]): Usage {
  let parsed
  try {
    parsed = parseArgs({ args: [...words], allowPositionals: true, options: OPTIONS })
  } catch (error) {
    return wrong(messageOf(error))
  }
  const { values, positionals } = parsed
  const [name, ...rest] = positionals
  if (values.help === true) return { name: 'help' }
  if (values.version === true) return { name: 'version' }
  if (name === undefined) return wrong('a command is missing')
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) return wrong(unknownName('command', name, Object.keys(COMMANDS)))
  const foreign = (Object.keys(values) as Option[]).find((option) => !command.options.includes(option))
  if (foreign !== undefined) return wrong(`${name} takes no --${foreign}`)
  const [word = ''] = rest
  if (command.words.length === 0 && word !== '') return wrong(`${name} takes no "${word}"`)
  const fits = command.open === true ? rest.length >= command.words.length : rest.length === command.words.length
  if (!fits || (command.words.length > 0 && word === '')) {
    return wrong(`${name} needs one ${command.words[0]}`)
  }
  const json = values.json === true
  switch (name) {
    case 'serve':
      return values.config === undefined ? wrong('serve needs --config FILE') : { name, file: values.config }
    case 'validate':
      return { name, file: word, json }
    case 'explain':
      return bothSay(values) ?? { name, requestId: word, ...adminAt(values), json }
    case 'doctor':
      return bothSay(values) ?? { name, ...adminAt(values), ...gatewayAt(values), json }
    case 'eval':
      return evalUsage(word, rest.slice(1), values)
    default:
      return { name: name === 'schema' ? 'schema' : 'version' }
  }
}

type Values = Readonly<Partial<Record<Option, string | boolean | string[]>>>

function evalUsage(what: string, files: readonly string[], values: Values): Usage {
  try {
    return readEvalUsage(what, files, values)
  } catch (error) {
    if (error instanceof WrongUse) return wrong(error.message)
    throw error
  }
}

function bothSay({ config, admin }: Values): Usage | undefined {
  return config !== undefined && admin !== undefined ? wrong('give --config or --admin, not both') : undefined
}

function adminAt(values: Values): AdminAt {
  return {
    ...given('config', values.config),
    ...given('admin', values.admin),
    ...given('tokenFile', values['token-file']),
  }
}

function gatewayAt(values: Values): Pick<DoctorUsage, 'envoyConfig' | 'envoyAdmin' | 'outbound' | 'inbound'> {
  return {
    ...given('envoyConfig', values['envoy-config']),
    ...given('envoyAdmin', values['envoy-admin']),
    ...given('outbound', values.outbound),
    ...given('inbound', values.inbound),
  }
}

function given<K extends string>(key: K, value: Values[Option]): Partial<Record<K, string>> {
  return typeof value === 'string' ? ({ [key]: value } as Record<K, string>) : {}
}
