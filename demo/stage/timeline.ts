import type { ExchangeRecord, Invocation } from '../../src/core/record.ts'

const colours = process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined
const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)
const bold = paint(1)
const dim = paint(2)
const red = paint(31)
const green = paint(32)

export function heading(text: string): void {
  console.log(`\n${bold(text)}`)
}

export function note(text: string): void {
  console.log(`  ${dim(text.replaceAll('\n', '\n  '))}`)
}

export function check(expectation: string, holds: boolean): void {
  console.log(`  ${holds ? green('✔') : red('✘')} ${expectation}`)
}

/** One exchange: where it went, how it ended, and what each plugin said about it that had something to say. */
export function showExchange(record: ExchangeRecord): void {
  const way = record.direction === 'inbound' ? 'user  → agent' : 'agent → world'
  const status = String(record.statusCode ?? '-')
  const end = record.phase === 'denied' ? red(`${status} refused`) : green(status)
  console.log(`  ${way}  ${record.method.padEnd(4)} ${record.host}${record.path}  ${end}`)
  const heard = record.invocations.filter(hasSomethingToSay)
  for (const invocation of heard) console.log(`                   ${sayInvocation(invocation)}`)
  for (const explanation of explanations(record)) console.log(`                   ${' '.repeat(16)} ${explanation}`)
}

/** All that the gates noted beside their rulings, for whoever looks for the reason. */
export function detailsOf(records: readonly ExchangeRecord[]): readonly string[] {
  return records.flatMap(({ method, host, path, invocations }) =>
    invocations
      .filter(({ details, action }) => details !== undefined && action !== 'observe')
      .map(({ plugin, details }) => `${plugin} on ${method} ${host}${path}: ${JSON.stringify(details)}`),
  )
}

/** Who only read an answer has said so of its request already. */
function hasSomethingToSay({ reason, phase }: Invocation): boolean {
  return reason !== 'not_mine' && (phase === 'request' || reason !== 'read')
}

/** What verdicts on calls found wrong with them. */
function explanations({ plugins = {} }: ExchangeRecord): readonly string[] {
  const verdicts = Object.values(plugins).flat() as readonly { readonly issues?: readonly Partial<Issue>[] }[]
  return verdicts.flatMap(({ issues = [] }) => issues.map(({ explanation = '' }) => `“${explanation}”`))
}

interface Issue {
  readonly explanation: string
}

function sayInvocation({ plugin, action, reason, shadow, details }: Invocation): string {
  const refusal = action === 'deny' || action === 'failed' || action === 'modify'
  const said = `${plugin.padEnd(16)} ${action}/${reason}${shadow ? ' (only watching)' : ''}`
  return `${refusal ? red(said) : dim(said)}${because(details)}`
}

/** The judge's words, why it has none, or what a parser read. */
function because(details: Invocation['details']): string {
  const { llm_reason: judged, judge_failure: failure, method, tool } = details ?? {}
  if (typeof judged === 'string') return `: ${judged}`
  if (typeof failure === 'string') return `: ${failure}`
  const read = [method, tool].filter((part) => typeof part === 'string')
  return read.length === 0 ? '' : dim(`: ${read.join(' ')}`)
}
