/** An IPv6 address in brackets, with or without port. */
const BRACKETED = /^\[([0-9a-f:.]+)\](?::\d*)?$/
const PORT = /:\d*$/

/**
 * The host of an authority: lower case, without port, without one trailing dot, IPv6 without brackets. What is no host
 * comes back as it is, in lower case; globs never match that.
 */
export function canonicalHost(authority: string): string {
  const lower = authority.toLowerCase()
  const bracketed = BRACKETED.exec(lower)?.[1]
  if (bracketed !== undefined) return bracketed
  const name = lower.indexOf(':') === lower.lastIndexOf(':') ? lower.replace(PORT, '') : lower
  return name.endsWith('.') ? name.slice(0, -1) : name
}

/** Letters, digits, hyphens, underscores and dots; or the hexadecimal groups of IPv6. */
export function isHost(host: string): boolean {
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host) || /^[0-9a-f:]*:[0-9a-f:.]+$/.test(host)
}
