import { z } from 'zod'
import type { Effect } from '../../core/action.ts'
import { capabilities, implementation, isShort, meta } from './meta.ts'

type Params = Readonly<Record<string, unknown>>

const text = z.string()
const token = z.union([text, z.int()])
const _meta = meta.optional()

const nothing = z.strictObject({ _meta })
const page = z.strictObject({ cursor: text.optional(), _meta })
const task = z.strictObject({ taskId: text, _meta })
const level = z.enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])
const status = z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled'])

/** The housekeeping of every revision, each method with all that its parameters may hold. */
const MECHANICS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['initialize', z.strictObject({ protocolVersion: text, capabilities, clientInfo: implementation, _meta })],
  ['ping', nothing],
  ['server/discover', nothing],
  ['tools/list', page],
  ['prompts/list', page],
  ['resources/list', page],
  ['resources/templates/list', page],
  ['tasks/list', page],
  ['logging/setLevel', z.strictObject({ level, _meta })],
  ['resources/unsubscribe', z.strictObject({ uri: text, _meta })],
  [
    'subscriptions/listen',
    z.strictObject({
      notifications: z
        .strictObject({
          toolsListChanged: z.boolean().optional(),
          promptsListChanged: z.boolean().optional(),
          resourcesListChanged: z.boolean().optional(),
          // With URIs in it, somebody chose what to hear of.
          resourceSubscriptions: z.array(text).max(0).optional(),
        })
        .optional(),
      _meta,
    }),
  ],
  ['notifications/initialized', nothing],
  ['notifications/roots/list_changed', nothing],
  ['notifications/cancelled', z.strictObject({ requestId: token.optional(), reason: text.optional(), _meta })],
  [
    'notifications/progress',
    z.strictObject({
      progressToken: token,
      progress: z.number(),
      total: z.number().optional(),
      message: text.optional(),
      _meta,
    }),
  ],
  [
    'notifications/tasks/status',
    z.strictObject({
      taskId: text,
      status,
      statusMessage: text.optional(),
      createdAt: text.optional(),
      lastUpdatedAt: text.optional(),
      ttl: z.number().nullable().optional(),
      pollInterval: z.number().optional(),
      _meta,
    }),
  ],
])

/** Housekeeping of a task that an allowed call started; otherwise actions. */
const TASK_METHODS: ReadonlyMap<string, Effect> = new Map([
  ['tasks/get', 'read'],
  ['tasks/result', 'read'],
  ['tasks/cancel', 'write'],
])

/** Methods that act, with what is known of their effect. A tool's effect is in its name, which is not read here. */
const ACTING: ReadonlyMap<string, Effect> = new Map([
  ['tools/call', 'unknown'],
  ['resources/read', 'read'],
  ['prompts/get', 'read'],
  ['resources/subscribe', 'read'],
  ['completion/complete', 'unknown'],
  ['tasks/update', 'write'],
])

/** Methods that the A2A protocol has too. */
const SHARED: ReadonlySet<string> = new Set(['tasks/get', 'tasks/cancel'])

export const isKnownMethod = (method: string): boolean =>
  MECHANICS.has(method) || TASK_METHODS.has(method) || ACTING.has(method)

export const isSharedMethod = (method: string): boolean => SHARED.has(method)

/** What a method does when it is judged. Housekeeping that does not fit its schema does what nobody knows. */
export const effectOf = (method: string): Effect => ACTING.get(method) ?? TASK_METHODS.get(method) ?? 'unknown'

/** Whether parameters are no more than housekeeping needs. `knowsTask` says whether an allowed call started a task. */
export function fitsMechanics(
  method: string,
  params: Params | undefined,
  knowsTask: (taskId: string) => boolean,
): boolean {
  const schema = TASK_METHODS.has(method) ? task : MECHANICS.get(method)
  if (schema?.safeParse(params ?? {}).success !== true) return false
  if (params !== undefined && !isShort(params)) return false
  return !TASK_METHODS.has(method) || knowsTask(String(params?.['taskId']))
}

/** Whether a message of this method is a notification: an id does not belong to it. */
export const isNotification = (method: string): boolean => method.startsWith('notifications/')

/** The names of parameters, in any method; a key that differs only in case means one of them to some servers. */
export const PARAMETERS: ReadonlySet<string> = new Set([
  ...['_meta', 'name', 'arguments', 'uri', 'task', 'taskId', 'cursor', 'level', 'ref', 'argument', 'context'],
  ...['inputResponses', 'requestState', 'notifications', 'protocolVersion', 'capabilities', 'clientInfo'],
  ...['requestId', 'reason', 'progressToken', 'progress', 'total', 'message'],
])
