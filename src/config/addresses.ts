import { isAbsolute } from 'node:path'
import { checked, type Field, pattern, text } from './fields.ts'

const UNIX = 'unix:'
/** The shortest limit of the systems that we run on, less a margin for the closing zero. */
const MAX_SOCKET_PATH_BYTES = 100
/** A port goes up to 65535. */
const HOST_AND_PORT =
  /^(?:\[[0-9a-fA-F:.]+\]|[^\s:/[\]]+):(?:\d{1,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/
/** Its bytes can only be counted. */
const SOCKET_FORM = `^${UNIX}/[\\s\\S]{0,${MAX_SOCKET_PATH_BYTES - 2}}$`

export const isUnixSocket = (address: string) => address.startsWith(UNIX)

/** Why an address cannot be listened on. Port 0 takes any free one. */
function wrongTcp(address: string): string | undefined {
  return HOST_AND_PORT.test(address) ? undefined : 'must be host:port, such as 127.0.0.1:9090'
}

function wrongSocket(address: string): string | undefined {
  const path = address.slice(UNIX.length)
  if (!isAbsolute(path)) return 'must be unix: and an absolute path, such as unix:/run/plumbline/plumbline.sock'
  const tooLong = Buffer.byteLength(path) >= MAX_SOCKET_PATH_BYTES
  return tooLong ? `the socket's path must be shorter than ${MAX_SOCKET_PATH_BYTES} bytes` : undefined
}

/** `host:port`. */
export const tcpAddress = (): Field<string> =>
  checked(text(), wrongTcp, { schema: pattern(HOST_AND_PORT.source), values: '`host:port`' })

/** `host:port`, or `unix:/absolute/path`. */
export const listenAddress = (): Field<string> =>
  checked(
    text(),
    (address) =>
      isUnixSocket(address) ? wrongSocket(address) : wrongTcp(address)?.replace(/$/, ', or unix:/absolute/path'),
    { schema: pattern(`${HOST_AND_PORT.source}|${SOCKET_FORM}`), values: '`host:port`, `unix:/path`' },
  )
