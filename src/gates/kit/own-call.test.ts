import { describe, expect, test } from 'vitest'
import { gateExchange, type GateGiven } from '../../../test/support/gates/kit.ts'
import { ownCalls } from './own-call.ts'

const own: GateGiven = {
  method: 'POST',
  host: 'judge.test:11434',
  path: '/v1/chat/completions',
  headers: { 'x-ibac-judge': '1' },
  body: {},
}

const isOwn = (given: GateGiven, judge = 'http://judge.test:11434/v1/chat/completions') =>
  ownCalls(new URL(judge), 'x-ibac-judge')(gateExchange(given))

// req: ibac:step:reentrancy
describe('the mark of our own question counts', () => {
  test.each<[string, GateGiven, string]>([
    ['on the way to the judge', own, 'http://judge.test:11434/v1/chat/completions'],
    [
      'whatever case the host is in',
      { ...own, host: 'Judge.Test:11434' },
      'http://judge.test:11434/v1/chat/completions',
    ],
    ['with a default port', { ...own, host: 'judge.test' }, 'http://judge.test/v1/chat/completions'],
    [
      'with a default port that is written out',
      { ...own, host: 'judge.test:80' },
      'http://judge.test/v1/chat/completions',
    ],
    ['with an IPv6 address', { ...own, host: '[::1]:9' }, 'http://[::1]:9/v1/chat/completions'],
  ])('%s', (_name, given, judge) => {
    expect(isOwn(given, judge)).toBe(true)
  })
})

describe('it counts nowhere else', () => {
  test.each<[string, GateGiven]>([
    ['to another host', { ...own, host: 'evil.test:11434' }],
    ['to another port', { ...own, host: 'judge.test:80' }],
    ['to no port', { ...own, host: 'judge.test' }],
    ['to another path', { ...own, path: '/v1/models' }],
    ['to a path that some server reads as another', { ...own, path: '/v1/chat/completions%2f..' }],
    ['with a query', { ...own, path: '/v1/chat/completions?code=X7B' }],
    ['with another method', { ...own, method: 'PUT' }],
    ['with another value', { ...own, headers: { 'x-ibac-judge': '2' } }],
    ['without the mark', { ...own, headers: {} }],
    [
      'with the mark twice',
      {
        ...own,
        headers: [
          ['x-ibac-judge', '1'],
          ['x-ibac-judge', '1'],
        ],
      },
    ],
    ['with the judge as user of another host', { ...own, host: 'judge.test:11434@evil.test' }],
    ['where the host does not decide where bytes go', { ...own, routesByHost: false }],
  ])('%s', (_name, given) => {
    expect(isOwn(given)).toBe(false)
  })
})
