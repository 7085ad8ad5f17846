import { expect, test } from 'vitest'
import { readUsage } from './usage.ts'

test.each([
  ['serve --config p.yaml', { name: 'serve', file: 'p.yaml' }],
  ['serve --config=p.yaml', { name: 'serve', file: 'p.yaml' }],
  ['validate p.yaml', { name: 'validate', file: 'p.yaml', json: false }],
  ['validate --json p.yaml', { name: 'validate', file: 'p.yaml', json: true }],
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
      message: 'unknown command "validte"; did you mean "validate"? (known: serve, validate, version)',
    },
  ],
  ['serve --confg p.yaml', { name: 'wrong', message: expect.stringContaining("'--confg'") as string }],
])('plumbline %s', (line, expected) => {
  expect(readUsage(line.split(' ').filter((word) => word !== ''))).toEqual(expected)
})
