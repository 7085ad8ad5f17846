import { describe, expect, test } from 'vitest'
import { restPath } from './rest.ts'

describe('paths of the HTTP binding', () => {
  test.each<[string, string, string | undefined, string | undefined, string]>([
    ['POST', '/message:send', 'SendMessage', undefined, '/'],
    ['POST', '/v1/message:send', 'SendMessage', undefined, '/'],
    ['POST', '/acme/message:stream', 'SendStreamingMessage', undefined, '/acme'],
    ['POST', '/a2a/v1/message:stream/', 'SendStreamingMessage', undefined, '/a2a'],
    ['POST', '/A2A/V1/Message:Send', 'SendMessage', undefined, '/A2A'],
    ['GET', '/message:send', undefined, undefined, '/'],
    ['GET', '/v1/tasks/t3', 'GetTask', 't3', '/'],
    ['HEAD', '/v1/tasks/t3', 'GetTask', 't3', '/'],
    ['GET', '/tasks', 'ListTasks', undefined, '/'],
    ['POST', '/tasks/t3:cancel', 'CancelTask', 't3', '/'],
    ['GET', '/tasks/t3:subscribe', 'SubscribeToTask', 't3', '/'],
    ['POST', '/x/v1/tasks/t3:subscribe', 'SubscribeToTask', 't3', '/x'],
    ['POST', '/tasks/t3/pushNotificationConfigs', 'CreateTaskPushNotificationConfig', 't3', '/'],
    ['GET', '/tasks/t3/pushNotificationConfigs', 'ListTaskPushNotificationConfigs', 't3', '/'],
    ['GET', '/v1/task/t3/pushNotificationConfigs/p', 'GetTaskPushNotificationConfig', 't3', '/'],
    ['DELETE', '/tasks/t3/pushNotificationConfigs/p', 'DeleteTaskPushNotificationConfig', 't3', '/'],
    ['GET', '/x/v1/card', 'GetExtendedAgentCard', undefined, '/x'],
    ['GET', '/extendedAgentCard', 'GetExtendedAgentCard', undefined, '/'],
    ['GET', '/agent/authenticatedExtendedCard', 'GetExtendedAgentCard', undefined, '/'],
    ['GET', '/.well-known/agent-card.json', 'GetExtendedAgentCard', undefined, '/'],
    ['GET', '/.well-known/agent.json', 'GetExtendedAgentCard', undefined, '/'],
  ])('%s %s', (verb, path, method, taskId, base) => {
    expect(restPath(verb, path)).toMatchObject({ method, taskId, base })
  })

  test.each(['/', '/message', '/message:sender', '/xmessage:send', '/card', '/tasks/a/b', '/pushNotificationConfigs'])(
    'nobody of ours: %s',
    (path) => {
      expect(restPath('POST', path)).toBeUndefined()
    },
  )

  test('only paths that no other service has are distinct', () => {
    const distinct = (path: string): boolean | undefined => restPath('GET', path)?.distinct
    expect(['/message:send', '/tasks/1:cancel', '/tasks/1/pushNotificationConfigs'].map(distinct)).toEqual([
      true,
      true,
      true,
    ])
    expect(['/tasks/1', '/tasks', '/v1/card', '/.well-known/agent.json'].map(distinct)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})
