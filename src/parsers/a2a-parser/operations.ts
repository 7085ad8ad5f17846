/** What an operation of the protocol does: brings words to an agent, looks something up, or changes something. */
export type OperationKind = 'send' | 'poll' | 'change'

export interface Operation {
  readonly kind: OperationKind
  /** Where the parameters name the task, if they do. */
  readonly task: 'id' | 'taskId' | undefined
  /** For polls: every parameter that the operation knows. Anything else is not housekeeping. */
  readonly fits: ReadonlyMap<string, (value: unknown) => boolean>
  /** The answer is about one message or task, so that its names and words belong to this conversation. */
  readonly tells: boolean
}

const MAX_WORD_CHARACTERS = 256

/** An identifier or token as protocols write them: nothing that could carry a sentence. */
const word = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= MAX_WORD_CHARACTERS && /^[\x21-\x7e]*$/.test(value)
const count = (value: unknown): boolean => Number.isSafeInteger(value)
const flag = (value: unknown): boolean => typeof value === 'boolean'
/** `metadata` may hold anything; housekeeping has no use for it. */
const emptyMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

const send: Operation = { kind: 'send', task: undefined, fits: new Map(), tells: true }

function poll(
  task: Operation['task'],
  tells: boolean,
  fits: Readonly<Record<string, (value: unknown) => boolean>>,
): Operation {
  return { kind: 'poll', task, tells, fits: new Map(Object.entries(fits)) }
}

const change = (task: Operation['task'], tells: boolean): Operation => ({
  kind: 'change',
  task,
  fits: new Map(),
  tells,
})

const legacyTask = { id: word, historyLength: count, metadata: emptyMap }
const legacyWebhook = { id: word, pushNotificationConfigId: word, metadata: emptyMap }
const listWebhooks = poll('taskId', false, { tenant: word, taskId: word, pageSize: count, pageToken: word })

/** Every JSON-RPC name, from 0.1 to 1.0. Names are compared exactly. */
const BY_METHOD: ReadonlyMap<string, Operation> = new Map([
  ['tasks/send', send],
  ['tasks/sendSubscribe', send],
  ['message/send', send],
  ['message/stream', send],
  ['SendMessage', send],
  ['SendStreamingMessage', send],

  ['tasks/get', poll('id', true, legacyTask)],
  ['tasks/resubscribe', poll('id', true, legacyTask)],
  ['GetTask', poll('id', true, { tenant: word, id: word, historyLength: count })],
  ['SubscribeToTask', poll('id', true, { tenant: word, id: word })],
  [
    'ListTasks',
    poll(undefined, false, {
      tenant: word,
      contextId: word,
      status: word,
      pageSize: count,
      pageToken: word,
      historyLength: count,
      statusTimestampAfter: word,
      includeArtifacts: flag,
    }),
  ],
  ['tasks/pushNotification/get', poll('id', false, { id: word, metadata: emptyMap })],
  ['tasks/pushNotificationConfig/get', poll('id', false, legacyWebhook)],
  ['tasks/pushNotificationConfig/list', poll('id', false, { id: word, metadata: emptyMap })],
  ['GetTaskPushNotificationConfig', poll('taskId', false, { tenant: word, taskId: word, id: word })],
  ['ListTaskPushNotificationConfig', listWebhooks],
  ['ListTaskPushNotificationConfigs', listWebhooks],
  ['agent/getAuthenticatedExtendedCard', poll(undefined, false, {})],
  ['GetExtendedAgentCard', poll(undefined, false, { tenant: word })],

  ['tasks/cancel', change('id', true)],
  ['CancelTask', change('id', true)],
  ['tasks/pushNotification/set', change('id', false)],
  ['tasks/pushNotificationConfig/set', change('taskId', false)],
  ['tasks/pushNotificationConfig/delete', change('id', false)],
  ['CreateTaskPushNotificationConfig', change('taskId', false)],
  ['DeleteTaskPushNotificationConfig', change('taskId', false)],
])

export function operationOf(method: string): Operation | undefined {
  return BY_METHOD.get(method)
}

/** These names belong to another protocol as well, which has `taskId` where this one has `id`. */
const SHARED_NAMES: ReadonlySet<string> = new Set(['tasks/get', 'tasks/cancel'])

export function isSharedName(method: string): boolean {
  return SHARED_NAMES.has(method)
}
