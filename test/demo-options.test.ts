import { describe, expect, test } from 'vitest'
import * as finance from '../demo/finance/options.ts'
import * as mail from '../demo/mail/options.ts'

const JUDGE = ['--judge-endpoint', 'http://judge.test:11434/', '--judge-model', 'm']

describe.each([
  ['mail', mail.readOptions],
  ['finance', finance.readOptions],
])('the options of the %s demo', (_, readOptions) => {
  test('a judge has an endpoint and a model', () => {
    expect(readOptions(JUDGE)).toMatchObject({ judge: { endpoint: 'http://judge.test:11434/', model: 'm' } })
    expect(readOptions([])).toMatchObject({ judge: undefined, observe: false })
  })

  test.each([
    ['only a model', ['--judge-model', 'm'], 'go together'],
    ['only an endpoint', ['--judge-endpoint', 'http://judge.test'], 'go together'],
    ['no URL', ['--judge-endpoint', 'judge.test', '--judge-model', 'm'], 'http:// or https://'],
    ['what Plumbline adds', ['--judge-endpoint', 'http://judge.test/v1/', '--judge-model', 'm'], 'no /v1'],
    ['an unknown option', ['--sideways'], '--sideways'],
    ['a word too many', ['please'], 'please'],
  ])('%s is refused in words', (_case, args, words) => {
    expect(readOptions(args)).toContain(words)
  })
})

describe('rounds of the mail demo', () => {
  test('one is the default, with a seed that nobody chose', () => {
    expect(mail.readOptions([])).toMatchObject({ rounds: 1, seed: undefined })
    expect(mail.readOptions(['--rounds', '50', '--seed', 's-7'])).toMatchObject({ rounds: 50, seed: 's-7' })
  })

  test.each([
    [['--rounds', '0'], '--rounds is a whole number'],
    [['--rounds', '2.5'], '--rounds is a whole number'],
    [['--rounds', '501'], '--rounds is a whole number'],
    [['--rounds', 'many'], '--rounds is a whole number'],
    [['--seed', ''], '--seed'],
    [['--rounds', '2', '--keep'], '--keep'],
  ])('%j is refused in words', (args, words) => {
    expect(mail.readOptions(args)).toContain(words)
  })
})

test.each([
  ['http://sparc.test:8090', { reflectorEndpoint: 'http://sparc.test:8090' }],
  ['sparc.test:8090', undefined],
  ['http://sparc.test/reflect', undefined],
])('a reflector at %s', (endpoint, read) => {
  const options = finance.readOptions(['--reflector-endpoint', endpoint])
  if (read === undefined) expect(options).toContain('--reflector-endpoint is a base URL')
  else expect(options).toMatchObject(read)
})
