import { describe, expect, test } from 'vitest'
import { editJson, type Change } from './edit-json.ts'

const set = (path: Change['path'], value: unknown): Change => ({ kind: 'set', path, value })
const drop = (...path: readonly (string | number)[]): Change => ({ kind: 'drop', path })
const append = (path: Change['path'], value: unknown): Change => ({ kind: 'append', path, value })

describe('editJson', () => {
  test.each<[string, string, readonly Change[], string]>([
    ['nothing', ' { "a" : 1.0 }\n', [], ' { "a" : 1.0 }\n'],
    ['a value', '{"a": 1.0 ,"b":12345678901234567890}', [set(['a'], 'x')], '{"a": "x" ,"b":12345678901234567890}'],
    ['an escaped key', '{"\\u0061":1}', [set(['a'], 2)], '{"\\u0061":2}'],
    ['a new member', '{ "b":1 }', [set(['a'], 2)], '{"a":2, "b":1 }'],
    ['new members of an empty object', '{"o":{ }}', [set(['o', 'a'], 1), set(['o', 'b'], 2)], '{"o":{"a":1,"b":2 }}'],
    ['the only member dropped', '{ "a":1 }', [drop('a')], '{  }'],
    ['the first dropped', '[1, 2, 3]', [drop(0)], '[2, 3]'],
    ['the middle dropped', '[1, 2, 3]', [drop(1)], '[1, 3]'],
    ['the last dropped', '[1, 2, 3]', [drop(2)], '[1, 2]'],
    ['the first two dropped', '[1, 2, 3]', [drop(0), drop(1)], '[3]'],
    ['the outer ones dropped', '[1, 2, 3]', [drop(2), drop(0)], '[2]'],
    ['all dropped', '[ 1, 2 ]', [drop(0), drop(1)], '[  ]'],
    ['one for another', '{"a":1}', [drop('a'), set(['b'], 2)], '{"b":2}'],
    ['one for another, beside one that stays', '{"a":1,"c":3}', [drop('a'), set(['b'], 2)], '{"b":2,"c":3}'],
    ['an element more', '{"a":[1 ]}', [append(['a'], 2)], '{"a":[1,2 ]}'],
    ['the first element', '{"a":[ ]}', [append(['a'], 2)], '{"a":[2 ]}'],
    ['inside of what stays', '[{"i":0},{"i":1}]', [drop(0), set([1, 'i'], 0)], '[{"i":0}]'],
    ['no ASCII', '{"ü":"你","a":1}', [set(['a'], '…')], '{"ü":"你","a":"…"}'],
  ])('%s', (_, text, changes, expected) => {
    expect(editJson(text, changes)).toBe(expected)
  })
})
