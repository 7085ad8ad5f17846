import { isAbsolute } from 'node:path'
import type { z } from 'zod'
import { text } from './fields.ts'

const UNIX = 'unix:'
/** The shortest limit of the systems that we run on, less a margin for the closing zero. */
const MAX_SOCKET_PATH_BYTES = 100
const HOST_AND_PORT = /^(?:\[[0-9a-fA-F:.]+\]|[^\s:/[\]]+):(\d{1,5})$/

export const isUnixSocket = (address: string) => address.startsWith(UNIX)

/** Why an address cannot be listened on. Port 0 takes any free one. */
function wrongTcp(address: string): string | undefined {
  const port = HOST_AND_PORT.exec(address)?.[1]
  return port !== undefined && Number(port) <= 65_535 ? undefined : 'must be host:port, such as 127.0.0.1:9090'
}

function wrongSocket(address: string): string | undefined {
  const path = address.slice(UNIX.length)
  if (!isAbsolute(path)) return 'must be unix: and an absolute path, such as unix:/run/plumbline/plumbline.sock'
  const tooLong = Buffer.byteLength(path) >= MAX_SOCKET_PATH_BYTES
  return tooLong ? `the socket's path must be shorter than ${MAX_SOCKET_PATH_BYTES} bytes` : undefined
}

function checked(wrong: (address: string) => string | undefined): z.ZodType<string> {
  return text().superRefine((address, context) => {
    const message = wrong(address)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
}

/** `host:port`. */
export const tcpAddress = () => checked(wrongTcp)

/** `host:port`, or `unix:/absolute/path`. */
export const listenAddress = () =>
  checked((address) =>
    isUnixSocket(address) ? wrongSocket(address) : wrongTcp(address)?.replace(/$/, ', or unix:/absolute/path'),
  )
