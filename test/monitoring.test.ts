import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../src/observe/metrics.ts'
import { OUTCOMES } from '../src/observe/outcome.ts'
import { FAILURES } from '../src/core/telemetry.ts'

/*
 * What is shown, alerted on and documented is what is counted. Dashboards break silently: a metric of another name is an
 * empty panel, and an alert on it never fires.
 */

const FOLDER = 'charts/plumbline/files/monitoring'
const RULES = readFileSync(`${FOLDER}/rules.yaml`, 'utf8')
const DASHBOARD = readFileSync(`${FOLDER}/dashboard.json`, 'utf8')
const PAGE = readFileSync('docs/operate/metrics.md', 'utf8')

/** Every name that a query may use, and the labels of our own metrics. */
async function counted(): Promise<{ readonly names: ReadonlySet<string>; readonly families: readonly string[] }> {
  const metrics = createMetrics({ version: '1', now: () => 0, clock: () => 0 })
  const { text } = await metrics.scrape(() => ({}))
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type] as const)
  const names = types.flatMap(([name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  return { names: new Set(names), families: types.map(([name]) => name) }
}

const named = (text: string): readonly string[] => [...new Set(text.match(/\b(?:plumbline|nodejs)_[a-z0-9_]+/g))]

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string; readonly refId: string }[]
  }[]
}

const rules = (parse(RULES) as Rules).groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(DASHBOARD) as Dashboard

describe('every metric is counted that', () => {
  test.each(rules.map(({ alert, expr }) => [alert, expr]))('the alert %s names', async (_, expr) => {
    const { names } = await counted()
    expect(named(expr).length).toBeGreaterThan(0)
    expect(named(expr).filter((name) => !names.has(name))).toEqual([])
  })

  test.each(panels.map(({ title, targets }) => [title, targets.map(({ expr }) => expr).join('\n')]))(
    'the panel "%s" shows',
    async (_, expr) => {
      const { names } = await counted()
      expect(named(expr).length).toBeGreaterThan(0)
      expect(named(expr).filter((name) => !names.has(name))).toEqual([])
    },
  )
})

test('the page lists every metric of ours, and no other', async () => {
  const table = PAGE.slice(PAGE.indexOf('| metric |'), PAGE.indexOf('Beside these'))
  const { families } = await counted()
  expect([...named(table)].sort()).toEqual(families.filter((name) => name.startsWith('plumbline_')).sort())
})

test.each([
  ['outcomes', OUTCOMES],
  ['failures', FAILURES],
])('the page says what %s there are', (_, values) => {
  for (const value of values) expect(PAGE).toContain(`\`${value}\``)
})

test('an alert that is written has a summary and a severity', () => {
  expect(rules.length).toBeGreaterThan(8)
  for (const rule of rules) {
    expect(rule).toMatchObject({
      labels: { severity: expect.stringMatching(/^(?:warning|critical)$/) as string },
      annotations: { summary: expect.any(String) as string, description: expect.any(String) as string },
    })
  }
})
