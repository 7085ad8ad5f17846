import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PLUMBLINE_CODES, type CodeInfo } from '../src/core/errors.ts'
import { GATE_TYPES } from '../src/gates/index.ts'
import { PARSER_TYPES } from '../src/parsers/index.ts'

const PAGE = readFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), 'utf8')

const ALL: Readonly<Record<string, CodeInfo>> = Object.assign(
  {},
  PLUMBLINE_CODES,
  ...[...PARSER_TYPES, ...GATE_TYPES].map((type) => type.codes),
) as Record<string, CodeInfo>

test('docs/errors.md lists every code with its status and fault, and no other', () => {
  const documented = [...PAGE.matchAll(/^\| `([\w.]+)` \| (\d+) \| (\w+) \|/gm)].map((m) => m.slice(1, 4).join(' '))
  const built = Object.entries(ALL).map(([code, { status, fault }]) => `${code} ${status} ${fault}`)
  expect(documented.toSorted()).toEqual(built.toSorted())
})

test('the list of codes is closed: a new one changes this number and the page', () => {
  expect(Object.keys(ALL)).toHaveLength(22)
})

test.each(Object.entries(ALL))('%s: a status that Envoy sends as a refusal, and one line of words', (_code, info) => {
  expect(info.status).toBeGreaterThanOrEqual(400)
  expect(info.message).toMatch(/^[^\n]{10,512}$/)
})
