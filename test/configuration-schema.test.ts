import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { withSparc } from '../demo/finance/config.ts'
import { drawStory as drawFinance } from '../demo/finance/story.ts'
import { withGate } from '../demo/mail/config.ts'
import { drawStory as drawMail } from '../demo/mail/story.ts'
import { PLUGIN_TYPES } from '../src/cli/plugins.ts'
import { configurationSchema } from '../src/config/configuration-schema.ts'
import { readConfig } from '../src/config/load.ts'
import type { JsonSchema } from '../src/config/meaning.ts'
import { LONE, ONLY_CODE } from './support/schema/only-code.ts'
import { places } from './support/schema/places.ts'
import { samplesFor } from './support/schema/samples.ts'

/*
 * The JSON Schema of the configuration and its checks agree on every field. What only code can see is listed with its
 * reasons.
 */

const SCHEMA = configurationSchema(PLUGIN_TYPES)
const fits = new Ajv({ allowUnionTypes: true, strictTypes: false }).compile(SCHEMA)
const PLACES = places(SCHEMA)

/** What the checks say of a document. JSON is YAML. */
function problemsOf(document: unknown, environment: Readonly<Record<string, string>> = {}): readonly string[] {
  const loaded = readConfig(JSON.stringify(document), 'f', { environment, types: PLUGIN_TYPES })
  return loaded.ok ? [] : loaded.problems.map(({ message }) => message)
}

const unseen = (message: string) => ONLY_CODE.some(({ says }) => says.test(message))

/** What the schema refuses, the checks refuse; what it takes, they take, but for what only code sees. */
function agree(document: unknown): boolean {
  const problems = problemsOf(document)
  return fits(document) ? problems.every(unseen) : problems.length > 0
}

describe.each(PLACES)('$name', (place) => {
  test('is described', () => {
    expect(place.schema['description']).toMatch(/^\S.*[.?]$/)
  })

  test('has both good and bad values, on which schema and checks agree', () => {
    const samples = samplesFor(place.schema)
    expect(samples.filter((value) => !agree(place.put(value)))).toEqual([])
    const good = samples.map((value) => fits(place.put(value)))
    expect(new Set(good).size).toBe(isAnything(place.schema) ? 1 : 2)
  })

  test('takes its default', () => {
    const value = place.schema['default']
    if (value !== undefined) expect(problemsOf(place.put(value)).filter((message) => !unseen(message))).toEqual([])
  })

  test('takes a variable wherever it takes a plain value', () => {
    const plain = samplesFor(place.schema).filter(isPlain)
    const good = plain.filter((value) => value !== '' && problemsOf(place.put(value)).length === 0)
    for (const value of good) {
      expect([value, fits(place.put('${X}'))]).toEqual([value, true])
      expect([value, problemsOf(place.put('${X}'), { X: String(value) })]).toEqual([value, []])
    }
  })
})

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' ? !value.includes('${') : typeof value === 'number' || typeof value === 'boolean'
const isAnything = (schema: JsonSchema) => Object.keys(schema).every((key) => key === 'description')

test('any value in any field: schema and checks agree', () => {
  fc.assert(
    fc.property(fc.constantFrom(...PLACES), fc.jsonValue({ maxDepth: 2 }), (place, value) => {
      expect([place.name, agree(place.put(value))]).toEqual([place.name, true])
    }),
    { numRuns: 500 },
  )
}, 60_000)

// Helm reads patterns with RE2.
test('no pattern looks around or behind', () => {
  expect(JSON.stringify(SCHEMA)).not.toMatch(/\(\?(?:=|!|<)/)
})

test('nothing is found by reference, so the whole can stand inside another schema', () => {
  expect(JSON.stringify(SCHEMA)).not.toContain('"$ref"')
})

test.each(LONE)('both look at %j', (document, taken) => {
  expect(fits(document)).toBe(taken)
  expect(problemsOf(document).every(unseen)).toBe(taken)
})

test.each(ONLY_CODE)('only code sees that $why', ({ says, examples }) => {
  expect(examples.length).toBeGreaterThan(0)
  for (const document of examples) {
    expect([document, fits(document)]).toEqual([document, true])
    expect(problemsOf(document)).toContainEqual(expect.stringMatching(says))
  }
})

describe('what is shown somewhere fits the schema', () => {
  const folder = (path: string) =>
    readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => `${path}/${file}`)
  const documents = [...folder('docs'), ...folder('src'), 'README.md', 'envoy/README.md'].filter((f) =>
    f.endsWith('.md'),
  )
  const examples = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => [file, yaml] as const),
  )
  const golden = folder('test/golden/configs').map((file) => [file, readFileSync(file, 'utf8')] as const)
  const whole = [...examples, ...golden].filter(([, yaml]) => /^pipeline:/m.test(yaml))

  test('and there is something', () => {
    expect(whole.length).toBeGreaterThan(20)
  })

  const mail = { judge: undefined, keep: false, withoutIbac: false, observe: false }
  const finance = { judge: undefined, reflectorEndpoint: undefined, withoutSparc: false, observe: false }
  const judge = { endpoint: 'http://judge.test', model: 'm' }

  test.each([
    ['mail', withGate(drawMail('any'), mail)],
    ['finance', withSparc(drawFinance(), judge, 'inference', finance)],
  ])('the demo %s', (_name, config) => {
    fits(config)
    expect(fits.errors ?? []).toEqual([])
  })

  test.each(whole)('%s %#', (_file, yaml) => {
    fits(parse(yaml))
    expect(fits.errors ?? []).toEqual([])
  })
})
