import type { Server } from '@grpc/grpc-js'

/**
 * Envoy ends every ext_proc stream with RST_STREAM. Node takes more than 1000 resets at once, then more than 33 a
 * second, for an attack and closes the connection with everything in flight. Our only peer is Envoy, so these raise both.
 */
export const RESET_LIMITS = { streamResetBurst: 1_000_000, streamResetRate: 1_000_000 } as const

/**
 * grpc-js has no public way to pass options to Node's HTTP/2 server; it hands on this object.
 * False when it no longer has it: a test fails then, and at run time Envoy's own cures still hold.
 */
export function raiseResetLimits(server: Server): boolean {
  const { commonServerOptions } = server as unknown as { readonly commonServerOptions?: object }
  if (commonServerOptions === undefined) return false
  Object.assign(commonServerOptions, RESET_LIMITS)
  return true
}

/** Older versions of Node ignore the two options. */
export function nodeKnowsResetLimits(version: string = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 11)
}
