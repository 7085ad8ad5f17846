import { beforeAll, describe, expect, test } from 'vitest'
import { type Rendering, runChart, type Values } from './helm.ts'
import { merged, PROXY, SHARED, TRANSPARENT } from './matrix.ts'

const SCRAPED: Values = { monitoring: { serviceMonitor: { enabled: true } } }
const PROMETHEUS: Values = { networkPolicy: { monitoring: [{ podSelector: { matchLabels: { app: 'prometheus' } } }] } }

const CASES: readonly (readonly [what: string, values: Values, unreachable: boolean])[] = [
  ['the shared service', SHARED, false],
  ['the shared service, with a ServiceMonitor for nobody', merged(SHARED, SCRAPED), true],
  ['the shared service, with a ServiceMonitor for somebody', merged(merged(SHARED, SCRAPED), PROMETHEUS), false],
  ['the proxy', PROXY, false],
  ['the proxy, in a chart of the user', merged(PROXY, { agent: { enabled: false } }), false],
  ['the transparent variant under another name', merged(TRANSPARENT, { fullnameOverride: 'gate' }), false],
]

let renderings: readonly Rendering[] = []
beforeAll(async () => {
  renderings = (await runChart(CASES.map(([, values]) => ({ values })))).renderings
})

describe.each(CASES.map(([what, , unreachable], i) => ({ what, unreachable, i })))('the notes of $what', (each) => {
  const rendering = () => {
    const found = renderings[each.i]
    if (found === undefined || found.error !== undefined) throw new Error(found?.error ?? 'not rendered')
    return found
  }
  const objects = () => rendering().objects.map(({ object }) => object)

  test('name what is there', () => {
    const kinds: Readonly<Record<string, string>> = {
      'deploy/': 'Deployment',
      'service/': 'Service',
      'configmap ': 'ConfigMap',
    }
    const named = [...rendering().notes.matchAll(/(deploy\/|service\/|configmap )([a-z0-9-]+)/g)]
    for (const [, word = '', name] of named) {
      expect(
        objects().some((object) => object.kind === kinds[word] && object.metadata.name === name),
        name,
      ).toBe(true)
    }
    expect(rendering().notes).toMatch(/plumbline doctor|main\.js doctor/)
  })

  test('tell of `helm test` where there is one, whose words can be read afterwards', () => {
    const pods = objects().filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === 'test')
    expect(rendering().notes.includes('helm test release')).toBe(pods.length > 0)
    for (const { metadata } of pods)
      expect(metadata.annotations?.['helm.sh/hook-delete-policy']).not.toContain('succeeded')
  })

  test('say where Prometheus does not come through', () => {
    expect(rendering().notes.includes('name its pods in networkPolicy.monitoring')).toBe(each.unreachable)
  })
})
