import { parse } from 'tldts'

export interface HostKind {
  readonly isIp: boolean
  /** Under a public suffix, of a registry or of a company that rents names out: anybody could own it. */
  readonly isPublic: boolean
}

/**
 * What kind of name it is, by its end alone. Labels are not checked: no registrar sells `-x`, but below a name of his
 * own anybody has whatever label he likes, and resolvers ask for it.
 */
export function kindOfHost(host: string): HostKind {
  const { isIp, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true, validateHostname: false })
  return { isIp: isIp === true, isPublic: isIcann === true || isPrivate === true }
}
