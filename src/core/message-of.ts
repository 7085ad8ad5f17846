/** What a caught value says. For operators: it may name paths and internals. */
export function messageOf(caught: unknown): string {
  return caught instanceof Error ? caught.message : String(caught)
}
