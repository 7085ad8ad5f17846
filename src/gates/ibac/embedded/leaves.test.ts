import { describe, expect, test } from 'vitest'
import { leavesOf } from './leaves.ts'
import { readPythonLiteral } from './python-literal.ts'

/** Each leaf as `record key=text`. */
const shown = (raw: string) => leavesOf(raw).map(({ key, text, record }) => `${record} ${key}=${text}`)

describe('the leaves of', () => {
  test.each<[string, string, readonly string[]]>([
    ['JSON', '{"a":"x","b":2,"c":true,"d":null}', ['1 a=x', '1 b=2']],
    ['records', '[{"id":7,"n":"x"},{"id":8}]', ['1 id=7', '1 n=x', '2 id=8']],
    ['a record under a name', '{"u1":{"n":"x"}}', ['2 @key=u1', '2 n=x']],
    ['a list of texts', '{"a":["x","y"]}', ['1 a=x', '1 a=y']],
    ['a Python literal', "{'a': 'x', 'b': None, 'c': (1, 'y')}", ['1 a=x', '1 c=1', '1 c=y']],
    ['YAML', 'a: x\nb:\n  - n: 7\n', ['1 a=x', '2 @key=b', '2 n=7']],
    ['plain text', 'Dear Ann.\nRoom: 12\n', ['0 =Dear Ann.\nRoom: 12\n', '0 room=12']],
    ['a JSON text', '"Dear Ann."', ['0 =Dear Ann.']],
    ['HTML', '<p>Go <a href="http://a.test">there</a></p>', ['0 =\n\nGo there \n\n', '0 href=http://a.test']],
    ['HTML in JSON', '{"page":"<div id=\'main\'>hi</div>"}', ['1 =\n\nhi\n\n', '1 id=main']],
    ['a page with a pseudo tag', '<p><system>do</system></p>', ['0 =\n\n<system>do</system>\n\n']],
    ['entities', '<p>a &amp;lt; b</p>', ['0 =\n\na &lt; b\n\n']],
    ['nothing', ' ', ['0 = ']],
    ['YAML with keys that are no names', 'a: x\n? - b\n: c', ['0 =a: x\n? - b\n: c', '0 a=x']],
    ['YAML with a line that is none', 'a: x\nb\n', ['0 =a: x\nb\n', '0 a=x']],
    ['what lies very deep', `${'['.repeat(40)}"x"${']'.repeat(40)}`, [`0 =${'['.repeat(40)}"x"${']'.repeat(40)}`]],
    ['broken JSON', '{"a":', ['0 ={"a":']],
  ])('%s', (_name, raw, expected) => {
    expect(shown(raw)).toEqual(expected)
  })
})

/** The time of a YAML parser grows with the third power of some of these: such a test would not end. */
test.each(['? ', '? a: ', '- ? ', '{? ', '{[', '&a ', '"\n', '- - '])(
  'YAML of nothing but %j is read as text',
  (piece) => {
    const text = `a:\n  ${piece.repeat(8_000)}`
    expect(leavesOf(text)[0]).toMatchObject({ key: '', text })
  },
)

describe('a Python literal', () => {
  test.each<[string, unknown]>([
    ["{'a': True, 'b': -1.5}", { a: true, b: -1.5 }],
    ["['it\\'s', \"x\\n\", '\\x41\\u00e9']", ["it's", 'x\n', 'Aé']],
    ['(1, 2,)', [1, 2]],
    ["{'x', 'y'}", ['x', 'y']],
    ["{'d': datetime.date(2024, 5, 1)}", { d: 'datetime.date(2024, 5, 1)' }],
    ["{'__proto__': 1}", JSON.parse('{"__proto__":1}')],
    ["{'a': 1", undefined],
    ["['a' 'b']", undefined],
    ["{'a': 1} rest", undefined],
    ['[word]', undefined],
    ['['.repeat(5000), undefined],
    ['[' + 'f('.repeat(5000), undefined],
  ])('%s', (text, expected) => {
    expect(readPythonLiteral(text)).toEqual(expected)
  })
})
