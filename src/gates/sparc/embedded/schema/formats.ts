import { isIP, isIPv4, isIPv6 } from 'node:net'

/** No expression here searches back and forth, and none sees more than this. Longer values are not judged. */
const LONGEST_FORMATTED = 2048

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?$/i
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const LABEL = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?$/u
const URI = /^[a-z][a-z0-9+.-]*:[^\s]+$/i

/** Those whose servers agree on what they mean; the rest is not judged. */
const FORMATS: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['date', isDate],
  ['time', (value: string) => TIME.test(value)],
  ['date-time', isDateTime],
  ['email', isEmail],
  ['idn-email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['ip', (value: string) => isIP(value) !== 0],
  ['uri', (value: string) => URI.test(value)],
  ['url', (value: string) => URI.test(value)],
  ['uuid', (value: string) => UUID.test(value)],
])

/** The check of a format, if we know it. */
export function formatCheck(format: string): ((value: string) => boolean) | undefined {
  const check = FORMATS.get(format)
  return check && ((value) => value.length > LONGEST_FORMATTED || check(value))
}

function isDate(value: string): boolean {
  const [, year, month, day] = DATE.exec(value) ?? []
  if (year === undefined) return false
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

/** Servers take what the standard demands, and as often a blank for the T and no offset. */
function isDateTime(value: string): boolean {
  return isDate(value.slice(0, 10)) && /^[t ]$/i.test(value.charAt(10)) && TIME.test(value.slice(11))
}

function isEmail(value: string): boolean {
  const at = value.lastIndexOf('@')
  const user = value.slice(0, Math.max(0, at))
  const domain = value.slice(at + 1)
  if (user === '' || user.length > 64) return false
  return user.startsWith('"') ? user.endsWith('"') : !/[\s@]/.test(user) && isHostname(domain)
}

function isHostname(value: string): boolean {
  return (
    value.length <= 253 &&
    value
      .replace(/\.$/, '')
      .split('.')
      .every((label) => LABEL.test(label))
  )
}
