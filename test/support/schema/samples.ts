import type { JsonSchema } from '../../../src/config/meaning.ts'

const COMMON: readonly unknown[] = [null, true, 0, 1, -1, 1.5, [], [1], {}, { zzz: 1 }]
const MAPPINGS: readonly unknown[] = [{ model: 'm' }, { cert: 'c', key: 'k', client_ca: 'a' }]

/** Right for some field, wrong for others, or nearly right. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  'text',
  'true',
  '1',
  'näher',
  '$${X}',
  '127.0.0.1:80',
  '[::1]:65535',
  'h:65536',
  'h:00080',
  'h:123456',
  ':80',
  'a b:1',
  'unix:/x',
  'unix:x',
  `unix:/${'x'.repeat(98)}`,
  `unix:/${'x'.repeat(99)}`,
  'http://h',
  'https://h:1/a',
  'HTTP://h',
  'ftp://h',
  'a.test',
  'list_*',
  '/status/*',
  'x'.repeat(253),
  'x'.repeat(254),
  `/${'x'.repeat(252)}`,
  `/${'x'.repeat(253)}`,
  '500ms',
  '90s',
  '1.5m',
  '1w',
  '1 s',
  's',
]

/** Values to try in a field: of every kind, and those at the limits that its schema names. */
export function samplesFor(schema: JsonSchema): readonly unknown[] {
  const items = schema['items'] as JsonSchema | undefined
  const inLists = items === undefined ? [] : [...TEXTS, null, ...enumOf(items)].map((item) => [item])
  return [...COMMON, ...MAPPINGS, ...TEXTS, ...inLists, ...enumOf(schema), ...atLimits(schema)]
}

/** What may stand there, and what looks like it. */
function enumOf(schema: JsonSchema): readonly unknown[] {
  const forms = (schema['anyOf'] ?? []) as readonly JsonSchema[]
  const values = forms.flatMap((form) => (form['enum'] ?? []) as readonly string[])
  return values.flatMap((value) => [value, `${value}x`, value.toUpperCase()])
}

function atLimits({ minimum, maximum }: JsonSchema): readonly unknown[] {
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return []
  return [minimum - 1, minimum - 0.001, minimum, minimum + 0.5, maximum, maximum + 0.001, maximum + 1, String(minimum)]
}
