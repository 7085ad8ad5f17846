import { type Chains, messageTimeouts, type Milliseconds, verdictDeadlines } from '../config/deadlines.ts'
import { type Findings, findings } from '../config/findings.ts'
import { type Config, loadConfig, type Loaded } from '../config/load.ts'
import { pathText, type Problem } from '../config/problem.ts'
import { readTls } from '../config/tls.ts'
import type { Direction } from '../core/exchange.ts'
import type { Chain } from '../core/plugin.ts'
import { type Override, overridesFor } from './overrides.ts'
import { PLUGIN_TYPES } from './plugins.ts'
import { printProblems } from './problems.ts'
import { chainsOf } from './silent-chains.ts'

interface Report extends Findings {
  readonly chains: Chains
  readonly messageTimeoutMs: Milliseconds
}

/** Checks a file and prints what it means. True when the server would start with it. */
export async function validate(file: string, json: boolean): Promise<boolean> {
  const loaded = await withFiles(file, await loadConfig(file, { environment: process.env, types: PLUGIN_TYPES }))
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

/** The files for TLS that a configuration names may be wrong as well. */
async function withFiles(file: string, loaded: Loaded): Promise<Loaded> {
  if (!loaded.ok || loaded.config.listener.tls === undefined) return loaded
  const found = await readTls(loaded.config.listener.tls)
  if ('tls' in found) return loaded
  const problems = found.issues.map((issue) => ({ file, ...issue, position: loaded.positionOf(issue.path) }))
  return { ok: false, problems }
}

function reportOn(config: Config): Report {
  const chains = chainsOf(config)
  return {
    ...findings(config, chains),
    chains,
    messageTimeoutMs: messageTimeouts(verdictDeadlines(chains, config.listener.verdict_deadline_ms)),
  }
}

function textReport(file: string, { chains, messageTimeoutMs, failsOpen, warnings }: Report): string {
  const chain = (direction: Direction) => {
    const plugins = chains[direction].plugins.map(({ id, mode }) => (mode === 'enforce' ? id : `${id} (${mode})`))
    return `  ${direction}: ${plugins.join(', ') || 'nothing'}`
  }
  const filter = (direction: Direction) => [
    `  ${direction} filter: message_timeout: ${messageTimeoutMs[direction] / 1000}s`,
    `  ${direction} filter: allow_mode_override: true, with allowed_override_modes:`,
    ...overridesFor(chains[direction]).map((override) => `    - ${overrideText(override)}`),
  ]
  const block = (title: string, lines: readonly string[], none: string) =>
    [
      title,
      ...(lines.length === 0 ? [`  ${none}`] : lines.map((line) => `  - ${line.replaceAll('\n', '\n    ')}`)),
    ].join('\n')
  return [
    `${file}: OK`,
    ['Chains', chain('inbound'), chain('outbound')].join('\n'),
    ['Set in Envoy (time-outs may be longer)', ...filter('inbound'), ...filter('outbound')].join('\n'),
    block('What passes unchecked under these settings', failsOpen, 'nothing'),
    block('Warnings', warnings, 'none'),
  ].join('\n\n')
}

/** As it can be written into Envoy's configuration. */
function overrideText(override: Override): string {
  const members = Object.entries(override).map(([key, mode]) => `${key}: ${mode}`)
  return `{ ${members.join(', ')} }`
}

function jsonReport(file: string, { chains, messageTimeoutMs, failsOpen, warnings }: Report): string {
  const plugins = ({ plugins }: Chain) => plugins.map(({ id, name, mode }) => ({ id, name, on_error: mode }))
  const report = {
    ok: true,
    file,
    chains: { inbound: plugins(chains.inbound), outbound: plugins(chains.outbound) },
    message_timeout_ms: messageTimeoutMs,
    allowed_override_modes: { inbound: overridesFor(chains.inbound), outbound: overridesFor(chains.outbound) },
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
