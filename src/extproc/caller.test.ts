import { describe, expect, test } from 'vitest'
import type { ListenerFacts, Trust } from './caller.ts'
import { callerOf, tokenCheck } from './caller.ts'

function caller(said: Readonly<Record<string, string>>, listener: ListenerFacts = {}, trust: Partial<Trust> = {}) {
  return callerOf((name) => said[name], listener, { defaultWorkload: 'fallback', ...trust }, unasked)
}

/** Reading a certificate costs time. */
const unasked = () => {
  throw new Error('the certificate is not asked where something else says the workload')
}

describe('direction', () => {
  test.each<[Record<string, string>, ListenerFacts, string | undefined]>([
    [{ 'x-plumbline-direction': 'inbound' }, {}, 'inbound'],
    [{ 'x-plumbline-direction': 'outbound' }, {}, 'outbound'],
    [{}, {}, undefined],
    [{ 'x-plumbline-direction': 'sideways' }, {}, undefined],
    [{ 'x-plumbline-direction': 'inbound, outbound' }, {}, undefined],
    [{ 'x-plumbline-direction': 'Inbound' }, {}, undefined],
    [{}, { direction: 'inbound' }, 'inbound'],
    [{ 'x-plumbline-direction': 'inbound' }, { direction: 'inbound' }, 'inbound'],
    [{ 'x-plumbline-direction': 'outbound' }, { direction: 'inbound' }, undefined],
    [{ 'x-plumbline-direction': 'sideways' }, { direction: 'inbound' }, undefined],
  ])('%j on %j', (said, listener, direction) => {
    expect(caller(said, listener)?.direction).toBe(direction)
  })
})

describe('workload and routing', () => {
  const inbound = { 'x-plumbline-direction': 'inbound' }
  test.each<[Record<string, string>, Partial<Trust>, string, boolean]>([
    [{}, {}, 'fallback', false],
    [{ 'x-plumbline-workload': '' }, {}, 'fallback', false],
    [{ 'x-plumbline-workload': 'mail' }, {}, 'mail', false],
    [{ 'x-plumbline-routing': 'host' }, {}, 'fallback', true],
    [{ 'x-plumbline-routing': 'yes' }, {}, 'fallback', false],
    [{}, { routing: 'host' }, 'fallback', true],
  ])('%j with %j', (said, trust, workload, routesByHost) => {
    expect(caller({ ...inbound, ...said }, {}, trust)).toEqual({ direction: 'inbound', workload, routesByHost })
  })
})

describe('workload of a certificate', () => {
  test.each<[Record<string, string>, string | undefined, string]>([
    [{}, 'spiffe://cluster/agent', 'spiffe://cluster/agent'],
    [{ 'x-plumbline-workload': '' }, 'spiffe://cluster/agent', 'spiffe://cluster/agent'],
    [{ 'x-plumbline-workload': 'mail' }, 'spiffe://cluster/agent', 'mail'],
    [{}, undefined, 'default'],
  ])('%j and %s', (said, uri, workload) => {
    const all = { 'x-plumbline-direction': 'inbound', ...said }
    expect(
      callerOf(
        (name) => all[name as keyof typeof all],
        {},
        {},
        () => uri,
      )?.workload,
    ).toBe(workload)
  })
})

describe('token', () => {
  test.each<[string | Uint8Array, string | undefined, boolean]>([
    ['secret', 'secret', true],
    [Buffer.from('secret'), 'secret', true],
    ['secret', undefined, false],
    ['secret', '', false],
    ['secret', 'secre', false],
    ['secret', 'secret ', false],
    ['secret', 'Secret', false],
  ])('%j against %j: %s', (token, said, known) => {
    expect(tokenCheck(token)(said)).toBe(known)
  })

  test('an empty token would be no token', () => {
    expect(() => tokenCheck('')).toThrow('empty')
  })
})
