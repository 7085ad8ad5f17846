import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { scratchFolder } from '../support/scratch.ts'
import { type Rendering, runChart } from './helm.ts'
import { containersOf, kindOf, podsOf, selects } from './workloads.ts'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))

test.each([
  ['as native sidecars', true],
  ['as containers', false],
])('another chart has Envoy and Plumbline beside its agent, %s', async (_how, native) => {
  const { objects, ...rest } = await renderParent(native)
  const rendering = { objects, ...rest }
  expect(rest.error).toBeUndefined()
  expect(objects.flatMap(({ problems }) => problems)).toEqual([])

  const [pod, ...others] = podsOf(rendering).filter(({ owner }) => owner.kind === 'Deployment')
  if (pod === undefined) throw new Error('no pod')
  expect(others).toEqual([])
  const beside = native ? (pod.spec.initContainers ?? []) : pod.spec.containers.slice(1)
  expect(beside.map(({ name, restartPolicy }) => [name, restartPolicy])).toEqual([
    ['plumbline', native ? 'Always' : undefined],
    ['envoy', native ? 'Always' : undefined],
  ])
  const agent = containersOf(pod).find(({ name }) => name === 'agent')
  expect(agent?.env).toContainEqual({ name: 'http_proxy', value: 'http://127.0.0.1:3128' })
  const maps = kindOf(rendering, 'ConfigMap').map(({ metadata }) => metadata.name)
  const mounted = (pod.spec.volumes ?? []).flatMap(({ configMap }) => configMap?.name ?? [])
  expect(mounted.sort()).toEqual(maps.sort())
  const [policy] = kindOf(rendering, 'NetworkPolicy')
  const { podSelector } = (policy as unknown as { spec: { podSelector: { matchLabels: Record<string, string> } } }).spec
  expect(selects(podSelector.matchLabels, pod.labels)).toBe(true)
})

async function renderParent(native: boolean): Promise<Rendering> {
  const scratch = await scratchFolder()
  try {
    const parent = join(scratch.path, 'parent')
    await cp(folder('parent'), parent, { recursive: true })
    // What `helm dependency build` does.
    await cp(folder('../../charts/plumbline'), join(parent, 'charts', 'plumbline'), { recursive: true })
    const { renderings } = await runChart([{ values: { plumbline: { sidecar: { native } } } }], parent)
    const [rendering] = renderings
    if (rendering === undefined) throw new Error('Nothing came back.')
    return rendering
  } finally {
    await scratch.close()
  }
}
