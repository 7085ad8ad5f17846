import { expect, test } from 'vitest'
import { firstUri } from './alt-names.ts'

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['DNS:localhost', undefined],
  ['URI:spiffe://cluster/ns/a/sa/b', 'spiffe://cluster/ns/a/sa/b'],
  ['DNS:localhost, IP Address:127.0.0.1, URI:spiffe://one, URI:spiffe://two', 'spiffe://one'],
  ['DNS:"x, URI:spiffe://not-this", URI:spiffe://this', 'spiffe://this'],
  ['DNS:"x\\", URI:spiffe://nor-this", URI:spiffe://this', 'spiffe://this'],
  ['URI:"spiffe://x/a\\u002c b"', 'spiffe://x/a, b'],
  ['IP Address:0:0:0:0:0:0:0:1, URI:spiffe://this', 'spiffe://this'],
  ['URI:', undefined],
])('%s: %s', (names, uri) => {
  expect(firstUri(names)).toBe(uri)
})
