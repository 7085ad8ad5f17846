import type { ExchangeRecord, Invocation } from '../src/core/record.ts'

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
  console.log(`  ${dim(text)}`)
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
  const heard = record.invocations.filter(({ reason, phase }) => reason !== 'not_mine' && phase === 'request')
  for (const invocation of heard) console.log(`                   ${sayInvocation(invocation)}`)
}

function sayInvocation({ plugin, action, reason, shadow, details }: Invocation): string {
  const refusal = action === 'deny' || action === 'failed'
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
