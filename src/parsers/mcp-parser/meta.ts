import { HOUSEKEEPING_BYTES } from '../kit/housekeeping.ts'
import { z } from 'zod'

const text = z.string()
const whole = z.int()
const anyObject = z.record(text, z.unknown())

const icon = z.strictObject({
  src: text,
  mimeType: text.optional(),
  sizes: z.array(text).optional(),
  theme: text.optional(),
})

/** Who a client says it is. */
export const implementation = z.strictObject({
  name: text,
  version: text,
  title: text.optional(),
  description: text.optional(),
  websiteUrl: text.optional(),
  icons: z.array(icon).optional(),
})

/** Names of capabilities are free: extensions add their own. */
export const capabilities = anyObject

/** `_meta` with the keys that the protocol and W3C trace context define, and no others. */
export const meta = z.strictObject({
  progressToken: z.union([text, whole]).optional(),
  'io.modelcontextprotocol/protocolVersion': text.optional(),
  'io.modelcontextprotocol/clientInfo': implementation.optional(),
  'io.modelcontextprotocol/clientCapabilities': capabilities.optional(),
  'io.modelcontextprotocol/logLevel': text.optional(),
  'io.modelcontextprotocol/related-task': z.strictObject({ taskId: text }).optional(),
  traceparent: text.optional(),
  tracestate: text.optional(),
  baggage: text.optional(),
})

/** What the protocol puts beside the parameters says as little as housekeeping. */
export const isShort = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) <= HOUSEKEEPING_BYTES

/** Whether `_meta` is no more than the protocol makes of it. */
export const isPlainMeta = (value: unknown): boolean => isShort(value) && meta.safeParse(value).success

export const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
