import type { z } from 'zod'
import type { CodeInfo } from '../core/errors.ts'
import type { Direction } from '../core/exchange.ts'
import type { Gate, Mode, Parser } from '../core/plugin.ts'

/** What a plugin may use of the process; nothing else reaches it. */
export interface Services {
  readonly log: PluginLog
  /** Milliseconds, monotone. */
  readonly now: () => number
}

/** Causes go to the log, never to the caller. No payload, no secret. */
export interface PluginLog {
  warn(facts: Readonly<Record<string, unknown>>, message: string): void
  error(facts: Readonly<Record<string, unknown>>, message: string): void
}

/** What stands around a plugin in its chain, known before any is made. */
export interface ChainFacts {
  readonly direction: Direction
  /** Host globs that gates of this chain lend to this parser (such as `agent_llm_host` to inference-parser). */
  readonly lentHosts: readonly string[]
  /** Every plugin of the chain that is not off, with its checked configuration. */
  readonly siblings: readonly { readonly name: string; readonly mode: Mode; readonly config: unknown }[]
}

/** A plugin that can stand in a chain: data for the configuration, and a constructor without side effects. */
export interface PluginType<C = unknown, P extends Parser | Gate = Parser | Gate> {
  readonly name: string
  readonly kind: P['kind']
  readonly directions: readonly Direction[]
  /** Strict: unknown keys are problems. Input is the YAML's `config`; made of `config/fields.ts`. */
  readonly schema: z.ZodType<C>
  /** Names of plugins that must stand in the same chain, not off. */
  readonly requires: readonly string[]
  /** At least one of these must. */
  readonly requiresAny: readonly string[]
  /** The codes that it refuses with. */
  readonly codes: Readonly<Record<string, CodeInfo>>
  /** What the schema alone cannot say; `path` is relative to `config`. */
  check?(
    config: C,
    chain: ChainFacts,
  ): readonly { readonly path: readonly (string | number)[]; readonly message: string }[]
  /** Warnings for start-up and `validate`, each with the lines to add. */
  warn?(config: C, chain: ChainFacts): readonly string[]
  /** Settings in force under which something passes unchecked; listed at start-up and in `/readyz`. */
  failsOpen?(config: C): readonly string[]
  /** Host globs that it lends to parsers of its chain, by parser name. */
  lendsHosts?(config: C): Readonly<Record<string, readonly string[]>>
  create(config: C, services: Services, chain: ChainFacts): P
}
