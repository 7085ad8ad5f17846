import { readFileSync } from 'node:fs'

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

/** As V8 writes it. */
interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Waiting, and the profiler's own beginning and end. */
const NOT_OURS = new Set(['(idle)', 'dispatch'])
const TOP = 40

/** Self time by part of the program and by function, without the time that it waited. */
export function report(file: string): string {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const byPart = new Map<string, number>()
  const byFunction = new Map<string, number>()
  let total = 0
  for (const [i, id] of profile.samples.entries()) {
    const frame = frames.get(id)
    const us = profile.timeDeltas[i] ?? 0
    if (frame === undefined || (frame.url === '' && NOT_OURS.has(frame.functionName))) continue
    total += us
    count(byPart, partOf(frame), us)
    count(byFunction, `${frame.functionName || '(anonymous)'}  ${placeOf(frame)}`, us)
  }
  return [
    'by part',
    ...shares(byPart, total, byPart.size),
    '',
    `by function (the first ${TOP})`,
    ...shares(byFunction, total, TOP),
  ].join('\n')
}

function count(sums: Map<string, number>, key: string, us: number): void {
  sums.set(key, (sums.get(key) ?? 0) + us)
}

function shares(sums: ReadonlyMap<string, number>, total: number, most: number): readonly string[] {
  const sorted = [...sums].sort(([, a], [, b]) => b - a).slice(0, most)
  return sorted.map(([key, us]) => `${((100 * us) / total).toFixed(1).padStart(6)} %  ${key}`)
}

/** A package, one of our folders, node itself, or the engine's own word such as `(garbage collector)`. */
function partOf({ url, functionName }: CallFrame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native code'
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (inPackage !== undefined) return inPackage
  const ours = /\/(?:dist|src)\/([^/]+)/.exec(url)?.[1]
  return ours === undefined ? 'node' : `plumbline: ${ours}`
}

function placeOf({ url, lineNumber }: CallFrame): string {
  if (url === '') return ''
  return `${url.replace(/^.*\/(?=node_modules\/|dist\/|src\/)/, '')}:${lineNumber + 1}`
}
