import { expect, test } from 'vitest'
import { readUsage } from './usage.ts'

test.each([
  ['serve --config p.yaml', { name: 'serve', file: 'p.yaml' }],
  ['serve --config=p.yaml', { name: 'serve', file: 'p.yaml' }],
  ['validate p.yaml', { name: 'validate', file: 'p.yaml', json: false }],
  ['validate --json p.yaml', { name: 'validate', file: 'p.yaml', json: true }],
  ['schema', { name: 'schema' }],
  ['explain 1-2', { name: 'explain', requestId: '1-2', json: false }],
  [
    'explain 1-2 --admin h:1 --token-file t --json',
    { name: 'explain', requestId: '1-2', admin: 'h:1', tokenFile: 't', json: true },
  ],
  ['explain', { name: 'wrong', message: 'explain needs one REQUEST-ID' }],
  ['explain 1 --config a --admin h:1', { name: 'wrong', message: 'give --config or --admin, not both' }],
  ['doctor', { name: 'doctor', json: false }],
  [
    'doctor --config p --envoy-config e --envoy-admin a --outbound o --inbound i',
    { name: 'doctor', config: 'p', envoyConfig: 'e', envoyAdmin: 'a', outbound: 'o', inbound: 'i', json: false },
  ],
  ['doctor now', { name: 'wrong', message: 'doctor takes no "now"' }],
  ['version', { name: 'version' }],
  ['--version', { name: 'version' }],
  ['--help', { name: 'help' }],
  ['serve -h', { name: 'help' }],
  ['', { name: 'wrong', message: 'a command is missing' }],
  ['serve', { name: 'wrong', message: 'serve needs --config FILE' }],
  ['serve p.yaml --config p.yaml', { name: 'wrong', message: 'serve takes no "p.yaml"' }],
  ['serve --config p.yaml --json', { name: 'wrong', message: 'serve takes no --json' }],
  ['validate', { name: 'wrong', message: 'validate needs one FILE' }],
  ['validate a b', { name: 'wrong', message: 'validate needs one FILE' }],
  ['validate a --config b', { name: 'wrong', message: 'validate takes no --config' }],
  ['version 2', { name: 'wrong', message: 'version takes no "2"' }],
  [
    'validte a',
    {
      name: 'wrong',
      message:
        'unknown command "validte"; did you mean "validate"? (known: serve, validate, schema, explain, doctor, version)',
    },
  ],
  ['serve --confg p.yaml', { name: 'wrong', message: expect.stringContaining("'--confg'") as string }],
])('plumbline %s', (line, expected) => {
  expect(readUsage(line.split(' ').filter((word) => word !== ''))).toEqual(expected)
})
