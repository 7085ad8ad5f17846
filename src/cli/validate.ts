import { buildChain } from '../config/chains.ts'
import { type Chains, messageTimeouts, type Milliseconds, verdictDeadlines } from '../config/deadlines.ts'
import { type Findings, findings } from '../config/findings.ts'
import { type Config, loadConfig } from '../config/load.ts'
import type { Services } from '../config/plugin-type.ts'
import { pathText, type Problem } from '../config/problem.ts'
import type { Direction } from '../core/exchange.ts'
import type { Chain } from '../core/plugin.ts'
import { PLUGIN_TYPES } from './plugins.ts'
import { printProblems } from './problems.ts'

interface Report extends Findings {
  readonly chains: Chains
  readonly messageTimeoutMs: Milliseconds
}

/** Checks a file and prints what it means. True when the server would start with it. */
export async function validate(file: string, json: boolean): Promise<boolean> {
  const loaded = await loadConfig(file, { environment: process.env, types: PLUGIN_TYPES })
  if (loaded.ok) {
    const report = reportOn(loaded.config)
    console.log(json ? jsonReport(file, report) : textReport(file, report))
  } else if (json) {
    console.log(jsonProblems(file, loaded.problems))
  } else {
    printProblems(file, loaded.problems)
  }
  return loaded.ok
}

function reportOn(config: Config): Report {
  const chains = {
    inbound: buildChain(config.chains.inbound, silentServices),
    outbound: buildChain(config.chains.outbound, silentServices),
  }
  return {
    ...findings(config, chains),
    chains,
    messageTimeoutMs: messageTimeouts(verdictDeadlines(chains, config.listener.verdict_deadline_ms)),
  }
}

/** The plugins are made only to ask what time they may take. */
const silentServices = (): Services => ({
  log: { warn: () => undefined, error: () => undefined },
  now: () => 0,
})

function textReport(file: string, { chains, messageTimeoutMs, failsOpen, warnings }: Report): string {
  const chain = (direction: Direction) => {
    const plugins = chains[direction].plugins.map(({ id, mode }) => (mode === 'enforce' ? id : `${id} (${mode})`))
    return `  ${direction}: ${plugins.join(', ') || 'nothing'}`
  }
  const timeout = (direction: Direction) =>
    `  ${direction} filter: message_timeout: ${messageTimeoutMs[direction] / 1000}s`
  const block = (title: string, lines: readonly string[], none: string) =>
    [
      title,
      ...(lines.length === 0 ? [`  ${none}`] : lines.map((line) => `  - ${line.replaceAll('\n', '\n    ')}`)),
    ].join('\n')
  return [
    `${file}: OK`,
    ['Chains', chain('inbound'), chain('outbound')].join('\n'),
    ['Set in Envoy (or longer)', timeout('inbound'), timeout('outbound')].join('\n'),
    block('What passes unchecked under these settings', failsOpen, 'nothing'),
    block('Warnings', warnings, 'none'),
  ].join('\n\n')
}

function jsonReport(file: string, { chains, messageTimeoutMs, failsOpen, warnings }: Report): string {
  const plugins = ({ plugins }: Chain) => plugins.map(({ id, name, mode }) => ({ id, name, on_error: mode }))
  const report = {
    ok: true,
    file,
    chains: { inbound: plugins(chains.inbound), outbound: plugins(chains.outbound) },
    message_timeout_ms: messageTimeoutMs,
    fails_open: failsOpen,
    warnings,
  }
  return JSON.stringify(report, undefined, 2)
}

function jsonProblems(file: string, problems: readonly Problem[]): string {
  const flat = problems.map(({ position, path, message }) => ({
    line: position?.line,
    column: position?.column,
    path: pathText(path),
    message,
  }))
  return JSON.stringify({ ok: false, file, problems: flat }, undefined, 2)
}
