/** What is wrong with a call as a whole, or with how its values go together. */
export interface Finding {
  readonly name: 'format_mismatch' | 'wrong_order' | 'swapped_arguments' | 'stale_value' | 'no_tool_fits'
  /** Top-level arguments that it is about. */
  readonly parameters: readonly string[]
  readonly explanation: string
  /** What to ask, or what to write instead. */
  readonly question?: string
  readonly instead?: Readonly<Record<string, unknown>>
}
