import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CANARY_HEADER, CANARY_HOST } from '../core/canary.ts'
import type { HeaderPair } from '../core/exchange.ts'
import { asksToClose } from './canary.ts'

const authority = (value: string): HeaderPair => [':authority', value]
const close: HeaderPair = [CANARY_HEADER, 'close']

describe('asks to close', () => {
  test.each([
    CANARY_HOST,
    `${CANARY_HOST}:80`,
    `${CANARY_HOST}:`,
    `${CANARY_HOST}.`,
    `${CANARY_HOST}.:8080`,
    'Canary.PLUMBLINE.Invalid',
  ])('%s', (host) => {
    expect(asksToClose([[':method', 'GET'], authority(host), ['accept', '*/*'], close])).toBe(true)
    expect(asksToClose([close, authority(host)])).toBe(true)
  })
})

describe('does not', () => {
  test.each<[string, readonly HeaderPair[]]>([
    ['nothing', []],
    ['the host alone', [authority(CANARY_HOST)]],
    ['the header alone', [close]],
    ['another value', [authority(CANARY_HOST), [CANARY_HEADER, 'open']]],
    ['an empty value', [authority(CANARY_HOST), [CANARY_HEADER, '']]],
    ['a value in another case', [authority(CANARY_HOST), [CANARY_HEADER, 'Close']]],
    ['a longer value', [authority(CANARY_HOST), [CANARY_HEADER, 'close, close']]],
    ['the header twice', [authority(CANARY_HOST), close, close]],
    ['two hosts', [authority(CANARY_HOST), authority(CANARY_HOST), close]],
    ['the host in another header', [authority('bank.example'), ['host', CANARY_HOST], close]],
    ['a name below it', [authority(`x.${CANARY_HOST}`), close]],
    ['a name that ends so', [authority(`not-${CANARY_HOST}`), close]],
    ['a name that begins so', [authority(`${CANARY_HOST}.evil.example`), close]],
    ['a name with other dots', [authority('canary-plumbline-invalid'), close]],
    ['a user before the host', [authority(`u@${CANARY_HOST}`), close]],
    ['a line break behind the host', [authority(`${CANARY_HOST}\n`), close]],
    ['a port that is none', [authority(`${CANARY_HOST}:http`), close]],
  ])('%s', (_name, pairs) => {
    expect(asksToClose(pairs)).toBe(false)
  })

  test('whatever else a head says', () => {
    const word = fc.oneof(
      fc.constantFrom(':authority', CANARY_HEADER, CANARY_HOST, `${CANARY_HOST}:1`, 'close', 'host'),
      fc.string(),
    )
    const pairs = fc.array(fc.tuple(word, word), { maxLength: 6 })
    fc.assert(
      fc.property(pairs, (head) => {
        const hosts = head.filter(([name]) => name === ':authority').map(([, value]) => value)
        const says = head.filter(([name]) => name === CANARY_HEADER).map(([, value]) => value)
        const expected = says.join() === 'close' && says.length === 1 && hosts.length === 1 && isCanary(hosts[0] ?? '')
        expect(asksToClose(head)).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })
})

/** By other means than the code. */
function isCanary(host: string): boolean {
  const [name = '', port = '', ...more] = host.toLowerCase().split(':')
  const plain = name.endsWith('.') ? name.slice(0, -1) : name
  return plain === CANARY_HOST && more.length === 0 && [...port].every((c) => c >= '0' && c <= '9')
}
