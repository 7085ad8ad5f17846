import type { SessionHint } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import { readMembers } from './members.ts'
import { namesOf, readMessage, readName, type Read, type Role } from './message.ts'

export interface Send {
  readonly role: Role
  readonly text: string
  readonly names: SessionHint
  readonly parts: readonly string[]
  /** Where the answer shall be posted to as well: the host, or `invalid`. */
  readonly webhook: string | undefined
}

const MEMBERS = ['message', 'request', 'contextId', 'sessionId', 'id', 'configuration', 'pushNotification'] as const

/**
 * The parameters of a send, or the body of one over HTTP. Clients name the conversation in the message, beside it, or as
 * 0.1 did in `sessionId`; where two of these differ, so would servers.
 */
export function readSend(params: Readonly<Record<string, unknown>>): Read<Send> {
  const members = readMembers(params, MEMBERS)
  if (!members.ok) return members
  const { of } = members
  // A name in the schema of 0.3 over HTTP, which its readers take as well.
  if (of.has('message') && of.has('request')) return { ok: false, why: 'there are two messages' }
  const message = readMessage(of.get('message') ?? of.get('request') ?? {})
  if (!message.ok) return message
  const contextId = oneName([message.value.contextId, of.get('contextId'), of.get('sessionId')], 'contextId')
  if (!contextId.ok) return contextId
  const taskId = oneName([message.value.taskId, of.get('id')], 'taskId')
  if (!taskId.ok) return taskId
  const webhook = readWebhook(of)
  if (!webhook.ok) return webhook
  return {
    ok: true,
    value: {
      role: message.value.role,
      text: message.value.text,
      names: namesOf(contextId.value, taskId.value),
      parts: message.value.parts,
      webhook: webhook.value,
    },
  }
}

function oneName(values: readonly unknown[], what: string): Read<string | undefined> {
  const names = new Set<string>()
  for (const value of values) {
    const name = readName(value, what)
    if (!name.ok) return name
    if (name.value !== undefined) names.add(name.value)
  }
  if (names.size > 1) return { ok: false, why: `${what} is there twice, and differs` }
  return { ok: true, value: [...names][0] }
}

const WEBHOOKS = ['pushNotificationConfig', 'taskPushNotificationConfig', 'pushNotification', 'url'] as const

/** A webhook may ride inside a send: since 0.2 in its configuration, in 0.1 beside the message. */
function readWebhook(params: ReadonlyMap<string, unknown>): Read<string | undefined> {
  let level = [params.get('configuration'), params.get('pushNotification')].filter(isObject)
  for (let depth = 0; depth < WEBHOOKS.length; depth++) {
    const deeper: Readonly<Record<string, unknown>>[] = []
    for (const each of level) {
      const members = readMembers(each, WEBHOOKS)
      if (!members.ok) return members
      const url = members.of.get('url')
      if (url !== undefined) return { ok: true, value: hostOf(url) }
      deeper.push(...[...members.of.values()].filter(isObject))
    }
    level = deeper
  }
  return { ok: true, value: undefined }
}

/** No host that can be reached is longer. */
const HOST_CHARACTERS = 260

function hostOf(url: unknown): string {
  const text = typeof url === 'string' ? url : ''
  return URL.canParse(text) ? new URL(text).host.slice(0, HOST_CHARACTERS) : 'invalid'
}
