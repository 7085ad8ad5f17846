import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Gate, Parser } from '../core/plugin.ts'
import { buildChain, factsFor } from './chains.ts'
import { gatesMs, messageTimeouts, verdictDeadlines } from './deadlines.ts'
import { findings } from './findings.ts'
import { isLoopback, listenersOf } from './listeners.ts'
import { type Config, readConfig } from './load.ts'
import { problemText } from './problem.ts'
import type { PluginType, Services } from './plugin-type.ts'

const parser: Parser = {
  kind: 'parser',
  isHome: () => false,
  wantsExempt: () => false,
  read: () => ({ kind: 'not-mine' }),
  readAnswer: () => undefined,
}
const gate = (timeoutMs: number): Gate => ({
  kind: 'gate',
  timeoutMs,
  points: ['request'],
  failsOpen: false,
  exempt: () => undefined,
  judge: async () => ({ allow: true, run: { action: 'allow', reason: 'fine' } }),
})
const base = { directions: ['inbound', 'outbound'], requires: [], requiresAny: [], codes: {} } as const

const reader: PluginType = { ...base, name: 'reader', kind: 'parser', schema: z.unknown(), create: () => parser }
const guard: PluginType = {
  ...base,
  name: 'guard',
  kind: 'gate',
  schema: z.unknown(),
  lendsHosts: () => ({ reader: ['llm.example'] }),
  failsOpen: () => ['lets strangers pass'],
  warn: (_config, chain) => chain.siblings.map(({ name }) => `stands beside ${name}`),
  create: () => gate(5000),
}

const services = (): Services => ({ log: { warn: () => undefined, error: () => undefined }, now: () => 0 })

function load(yaml: string): Config {
  const loaded = readConfig(yaml, 'p.yaml', { environment: {}, types: [reader, guard] })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

const QUIET = 'listener: {ext_proc_addr: "unix:/run/x", workload: w, routing: host}\n'
const outbound = (...plugins: string[]) => `${QUIET}pipeline: {outbound: {plugins: [${plugins.join(', ')}]}}\n`
const built = ({ chains }: Config) => ({
  inbound: buildChain(chains.inbound, services),
  outbound: buildChain(chains.outbound, services),
})
const found = (yaml: string) => findings(load(yaml), built(load(yaml)))

describe('what passes unchecked', () => {
  const NO_GATE = 'outbound: no gate enforces, so nothing that the agent does is refused'
  test.each([
    ['no plugins', outbound(), [NO_GATE]],
    ['parsers only', outbound('reader'), [NO_GATE]],
    ['an enforcing gate', outbound('guard'), ['outbound/guard: lets strangers pass']],
    [
      'an observing gate',
      outbound('{name: guard, id: g, on_error: observe}'),
      [NO_GATE, 'outbound/g: on_error is observe, so what it would refuse passes', 'outbound/g: lets strangers pass'],
    ],
    [
      'a gate that is off',
      outbound('{name: guard, on_error: off}'),
      [NO_GATE, 'outbound/guard: on_error is off, so it does nothing'],
    ],
  ])('%s', (_name, yaml, expected) => {
    expect(found(yaml).failsOpen).toEqual(expected)
  })
})

describe('warnings', () => {
  test.each([
    ['of a quiet configuration: none', outbound('reader'), []],
    [
      'of a plugin that is not off, about those beside it that are not off',
      outbound('guard', '{name: reader, on_error: off}', '{name: guard, id: g2, on_error: off}'),
      ['outbound/guard: stands beside guard'],
    ],
    [
      'of the defaults',
      'pipeline: {}\n',
      [
        /^127\.0\.0\.1:9090: TCP without a token: .*token_file/,
        /^listener\.workload .*one agent/,
        /^listener\.routing /,
      ],
    ],
    [
      'of two ports without a token',
      'pipeline: {}\nlistener: {inbound_addr: "127.0.0.1:1", outbound_addr: "localhost:2", workload: w, routing: host}\n',
      [/^127\.0\.0\.1:1 and localhost:2: TCP without a token: .*listener\.tls/],
    ],
    ['none about a port with a token', 'pipeline: {}\nlistener: {token_file: /t, workload: w, routing: host}\n', []],
    [
      'of ports that others reach in clear text, whatever they show',
      'pipeline: {}\nlistener: {inbound_addr: "0.0.0.0:1", outbound_addr: "[::1]:2", token_file: /t, workload: w, routing: host}\n',
      [/^0\.0\.0\.0:1: TCP without TLS beyond this machine: .*listener\.tls/],
    ],
    [
      'none about ports with TLS, with or without a token',
      'pipeline: {}\nlistener: {ext_proc_addr: "0.0.0.0:1", tls: {cert: /c, key: /k, client_ca: /a}, workload: w, routing: host}\n',
      [],
    ],
    [
      'of a deadline that no gate can keep',
      `pipeline: {outbound: {plugins: [guard]}}\n${QUIET.replace('{', '{verdict_deadline_ms: 5000, ')}`,
      [/^listener\.verdict_deadline_ms is 5s, and the gates of a chain may take 5s/, /stands beside/],
    ],
  ])('%s', (_name, yaml, expected) => {
    const patterns = expected.map((each) => expect.stringMatching(each) as string)
    expect(found(yaml).warnings).toEqual(patterns)
  })
})

describe('TLS', () => {
  const tls = 'tls: {cert: /c, key: /k, client_ca: /a}'
  const told = (listener: string) => {
    const loaded = readConfig(`pipeline: {}\nlistener: {${listener}}\n`, 'p.yaml', { environment: {}, types: [] })
    return loaded.ok ? [] : loaded.problems.map(problemText)
  }
  test.each([
    ['the default address', tls, true],
    ['a port', `${tls}, ext_proc_addr: "h:1"`, true],
    ['a socket and a port', `${tls}, inbound_addr: "unix:/run/x", outbound_addr: "h:1"`, true],
    ['a socket', `${tls}, ext_proc_addr: "unix:/run/x"`, false],
    ['two sockets', `${tls}, inbound_addr: "unix:/run/x", outbound_addr: "unix:/run/y"`, false],
    ['one socket for one direction', `${tls}, inbound_addr: "unix:/run/x"`, false],
  ])('on %s', (_name, listener, fine) => {
    const wrong = /^p\.yaml:2:17: listener\.tls: is for TCP addresses/
    expect(told(listener)).toEqual(fine ? [] : [expect.stringMatching(wrong)])
  })
})

describe('time', () => {
  const chains = built(
    load(outbound('reader', 'guard', '{name: guard, id: b, on_error: observe}', '{name: guard, id: c, on_error: off}')),
  )

  test('the gates that are not off add up', () => {
    expect([gatesMs(chains.inbound), gatesMs(chains.outbound)]).toEqual([0, 10_000])
  })
  test('the verdict has 2 s beside the gates, and Envoy waits half a second longer', () => {
    const verdicts = verdictDeadlines(chains, undefined)
    expect([verdicts, messageTimeouts(verdicts)]).toEqual([
      { inbound: 2000, outbound: 12_000 },
      { inbound: 2500, outbound: 12_500 },
    ])
  })
  test('what is configured holds for both directions', () => {
    expect(verdictDeadlines(chains, 700)).toEqual({ inbound: 700, outbound: 700 })
  })
})

test('a chain is built in its order, with mode, id and what stands around', () => {
  const config = load(
    outbound('{name: reader, on_error: observe}', '{name: guard, id: g}', '{name: guard, on_error: off}'),
  )
  const plan = config.chains.outbound
  expect(buildChain(plan, services).plugins).toMatchObject([
    { id: 'reader', name: 'reader', mode: 'observe', plugin: { kind: 'parser' } },
    { id: 'g', name: 'guard', mode: 'enforce', plugin: { kind: 'gate' } },
    { id: 'guard', name: 'guard', mode: 'off', plugin: { kind: 'gate' } },
  ])
  const [first] = plan.plugins
  expect(first && factsFor(first, plan)).toEqual({
    direction: 'outbound',
    lentHosts: ['llm.example'],
    siblings: [
      { name: 'reader', mode: 'observe', config: {} },
      { name: 'guard', mode: 'enforce', config: {} },
    ],
  })
})

describe('listeners', () => {
  test.each([
    ['listener: {}', [{ address: '127.0.0.1:9090' }]],
    ['listener: {ext_proc_addr: "unix:/run/x", routing: host}', [{ address: 'unix:/run/x' }]],
    [
      'listener: {inbound_addr: "h:0", outbound_addr: "h:0"}',
      [
        { address: 'h:0', direction: 'inbound' },
        { address: 'h:0', direction: 'outbound' },
      ],
    ],
    ['listener: {outbound_addr: "[::1]:1"}', [{ address: '[::1]:1', direction: 'outbound' }]],
  ])('%s', (yaml, expected) => {
    expect(listenersOf(load(`pipeline: {}\n${yaml}\n`).listener)).toEqual(expected)
  })
})

test.each([
  ['127.0.0.1:9090', true],
  ['127.8.9.1:0', true],
  ['localhost:1', true],
  ['LOCALHOST:1', true],
  ['[::1]:1', true],
  ['0.0.0.0:1', false],
  ['[::]:1', false],
  ['10.0.0.1:1', false],
  ['127.0.0.1.evil.example:1', false],
  ['plumbline:1', false],
])('%s is loopback: %s', (address, loopback) => {
  expect(isLoopback(address)).toBe(loopback)
})
