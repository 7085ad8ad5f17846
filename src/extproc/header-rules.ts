const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
/** Printable latin1 and tab, as HTTP allows; nothing that could end a header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers that say where a message ends. Envoy does not check edits of them against the body: they would smuggle. */
const FRAMING: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
])

/** Why Envoy would skip an edit of this header in silence, or forward what means something else to the next server. */
export function nameProblem(name: string): string | undefined {
  if (name.startsWith(':') || name === 'host') return 'says where the request goes'
  if (name.startsWith('x-envoy-')) return 'is reserved to Envoy'
  if (FRAMING.has(name)) return 'frames the message'
  if (!NAME.test(name)) return 'is no lower-case header name'
  return undefined
}

export function validValue(value: string): boolean {
  return VALUE.test(value)
}
