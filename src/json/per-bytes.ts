/**
 * Remembers what a pure function said about an array of bytes. Every parser of a chain looks at the same body; only the
 * first one pays. The bytes must not change afterwards.
 */
export function perBytes<T>(compute: (bytes: Uint8Array) => T): (bytes: Uint8Array) => T {
  const known = new WeakMap<Uint8Array, { readonly result: T }>()
  return (bytes) => {
    const before = known.get(bytes)
    if (before !== undefined) return before.result
    const result = compute(bytes)
    known.set(bytes, { result })
    return result
  }
}
