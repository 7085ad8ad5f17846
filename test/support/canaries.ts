/** Words that stand for secrets: one for each place, each found nowhere else. */
export interface Canaries {
  /** The word for a place, the same each time. */
  readonly canary: (place: string) => string
  /** Which places show in these bytes. */
  readonly seenIn: (bytes: string, places: readonly string[]) => readonly string[]
  /** All that have a word by now. */
  readonly places: () => readonly string[]
}

export function letOutCanaries(): Canaries {
  const words = new Map<string, string>()
  const canary = (place: string): string => {
    const word = words.get(place) ?? `cnry-${words.size}-${Math.random().toString(36).slice(2, 14)}`
    words.set(place, word)
    return word
  }
  return {
    canary,
    seenIn: (bytes, places) => places.filter((place) => bytes.includes(canary(place))),
    places: () => [...words.keys()],
  }
}

/** Headers that hold secrets, or might. */
export const TELLING_HEADERS = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'api-key',
  'x-auth-token',
  'x-amz-security-token',
  'x-csrf-token',
  'x-forwarded-client-cert',
  'mcp-session-id',
  'x-plumbline-session',
  'x-plumbline-token',
  'baggage',
  'tracestate',
  'user-agent',
  'referer',
  'origin',
  'accept-language',
  'x-anything',
] as const

/** Each with its word. */
export function tellingHeaders({ canary }: Canaries): Readonly<Record<string, string>> {
  return Object.fromEntries(
    TELLING_HEADERS.map((name) => [name, name === 'authorization' ? `Bearer ${canary(name)}` : canary(name)]),
  )
}
