/** A path of the HTTP binding. Any prefix may stand before it: a base URL, `v1`, a tenant. */
export interface RestPath {
  /** The operation under its JSON-RPC name of 1.0; undefined when the HTTP method is none of that path. */
  readonly method: string | undefined
  readonly taskId: string | undefined
  /** Nothing but this protocol has such a path. Others, such as `/tasks/7`, are anybody's. */
  readonly distinct: boolean
  /** What stands before the operation's own segments, without `v1`. */
  readonly base: string
}

interface Shape {
  /** By HTTP method. */
  readonly methods: Readonly<Record<string, string>>
  readonly distinct: boolean
  /** How many segments at the end are the operation's own. */
  readonly own: number
  readonly taskId?: string | undefined
}

/** Routers differ about letter case and a slash at the end, so neither hides an operation. */
export function restPath(httpMethod: string, path: string): RestPath | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  const shape = shapeOf(segments)
  if (shape === undefined) return undefined
  const before = segments.slice(0, -shape.own)
  if (before.at(-1)?.toLowerCase() === 'v1') before.pop()
  return {
    method: shape.methods[httpMethod === 'HEAD' ? 'GET' : httpMethod],
    taskId: shape.taskId,
    distinct: shape.distinct,
    base: `/${before.join('/')}`,
  }
}

function shapeOf(segments: readonly string[]): Shape | undefined {
  const last = segments.at(-1) ?? ''
  const one = last.toLowerCase()
  const two = segments.at(-2)?.toLowerCase() ?? ''
  return messageShape(one) ?? webhookShape(segments) ?? taskShape(last, two) ?? cardShape(one, two)
}

function messageShape(last: string): Shape | undefined {
  if (last === 'message:send') return { methods: { POST: 'SendMessage' }, distinct: true, own: 1 }
  if (last === 'message:stream') return { methods: { POST: 'SendStreamingMessage' }, distinct: true, own: 1 }
  return undefined
}

const isTasks = (segment: string | undefined): boolean => /^tasks?$/i.test(segment ?? '')
const isWebhooks = (segment: string | undefined): boolean => /^pushnotificationconfigs$/i.test(segment ?? '')

function webhookShape(segments: readonly string[]): Shape | undefined {
  if (isWebhooks(segments.at(-1)) && isTasks(segments.at(-3))) {
    const methods = { POST: 'CreateTaskPushNotificationConfig', GET: 'ListTaskPushNotificationConfigs' }
    return { methods, distinct: true, own: 3, taskId: segments.at(-2) }
  }
  if (isWebhooks(segments.at(-2)) && isTasks(segments.at(-4))) {
    const methods = { GET: 'GetTaskPushNotificationConfig', DELETE: 'DeleteTaskPushNotificationConfig' }
    return { methods, distinct: true, own: 4, taskId: segments.at(-3) }
  }
  return undefined
}

function taskShape(last: string, before: string): Shape | undefined {
  if (isTasks(before)) {
    const [, taskId, verb] = /^(.*):(cancel|subscribe)$/i.exec(last) ?? []
    if (verb?.toLowerCase() === 'cancel') return { methods: { POST: 'CancelTask' }, distinct: true, own: 2, taskId }
    if (verb !== undefined) {
      return { methods: { GET: 'SubscribeToTask', POST: 'SubscribeToTask' }, distinct: true, own: 2, taskId }
    }
    return { methods: { GET: 'GetTask' }, distinct: false, own: 2, taskId: last }
  }
  return last.toLowerCase() === 'tasks' ? { methods: { GET: 'ListTasks' }, distinct: false, own: 1 } : undefined
}

function cardShape(last: string, before: string): Shape | undefined {
  const card = (own: number): Shape => ({ methods: { GET: 'GetExtendedAgentCard' }, distinct: false, own })
  if (last === 'extendedagentcard') return card(1)
  if (last === 'card' && before === 'v1') return card(1)
  if (last === 'authenticatedextendedcard' && before === 'agent') return card(2)
  if (before === '.well-known' && (last === 'agent.json' || last === 'agent-card.json')) return card(2)
  return undefined
}
