import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type YAMLMap,
} from 'yaml'
import type { Issue, Path, Position } from './problem.ts'
import { type Environment, substitute } from './substitute.ts'

/** A value of the file, and what is needed to point at its parts. */
export interface Tree {
  /** Plain data, in which substituted scalars are `Substituted`; undefined when the file cannot be used at all. */
  readonly value: unknown
  readonly issues: readonly (Issue & { readonly position: Position })[]
  /** Where the value of a path begins, or what stands nearest around it. */
  positionOf(path: Path): Position
  /** Where the key of a path stands. */
  keyPositionOf(path: Path): Position
}

/** Anchors are welcome; a file that unfolds into more than this is an attack or a mistake. */
const MAX_NODES = 20_000
const MAX_DEPTH = 32
const TOP: Position = { line: 1, column: 1 }

const id = (path: Path) => JSON.stringify(path)

/** Reads YAML 1.2 and replaces environment variables in its scalars, so that no value can change the structure. */
export function readYaml(text: string, environment: Environment): Tree {
  const lines = new LineCounter()
  const reader = new TreeReader(environment, (offset) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  })
  // Keys that stand twice are found while reading, where their path is known.
  const found = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const [document, second] = Array.isArray(found) ? found : []
  if (second !== undefined) {
    reader.problem([], second.range[0], 'a second document begins here; keep one and remove the "---" line')
  }
  const complaints = [...(document?.errors ?? []), ...(document?.warnings ?? [])]
  for (const complaint of complaints) reader.problem([], complaint.pos[0], `not supported YAML: ${complaint.message}`)
  const empty = document === undefined || document.contents === null
  if (empty && complaints.length === 0) reader.problem([], 0, 'the file is empty; it needs at least "pipeline:"')
  return reader.tree(empty || complaints.length > 0 ? undefined : reader.read(document.contents, [], document))
}

class TreeReader {
  readonly #environment: Environment
  readonly #locate: (offset: number) => Position
  readonly #issues: (Issue & { readonly position: Position })[] = []
  readonly #values = new Map<string, Position>()
  readonly #keys = new Map<string, Position>()
  #nodes = 0
  /** The file unfolds without bound: nothing more is read, and no part of it is used. */
  #tooMuch = false

  constructor(environment: Environment, locate: (offset: number) => Position) {
    this.#environment = environment
    this.#locate = locate
  }

  problem(path: Path, offset: number, message: string): void {
    this.#issues.push({ path, message, position: this.#locate(offset) })
  }

  /** Plain data for a node. An alias counts each time it is used. */
  read(node: Node | null, path: Path, document: Document): unknown {
    if (this.#tooMuch) return undefined
    if (node === null) return null
    const offset = node.range?.[0] ?? 0
    if (!this.#values.has(id(path))) this.#values.set(id(path), this.#locate(offset))
    this.#nodes += 1
    if (this.#nodes > MAX_NODES) return this.#stop(offset, `more than ${MAX_NODES} values, aliases counted`)
    if (path.length > MAX_DEPTH) return this.#stop(offset, `nested deeper than ${MAX_DEPTH}, aliases counted`)
    if (isAlias(node)) {
      const target = node.resolve(document)
      if (target !== undefined) return this.read(target, path, document)
      this.problem(path, offset, `no anchor "&${node.source}" stands before this alias`)
      return ''
    }
    if (isMap(node)) return this.#readMap(node, path, document)
    if (isSeq(node)) return node.items.map((item, index) => this.read(item as Node | null, [...path, index], document))
    return isScalar(node) ? this.#readScalar(node.value, path, offset) : undefined
  }

  #stop(offset: number, message: string): undefined {
    this.#tooMuch = true
    this.problem([], offset, message)
  }

  #readScalar(value: unknown, path: Path, offset: number): unknown {
    if (typeof value === 'object' && value !== null) {
      this.problem(path, offset, 'this kind of value is not supported; write text, a number, true or false')
      return ''
    }
    if (typeof value !== 'string') return value
    const result = substitute(value, this.#environment)
    if (typeof result === 'string' || !('wrong' in result)) return result
    this.problem(path, offset, result.wrong)
    return ''
  }

  #readMap(map: YAMLMap, path: Path, document: Document): unknown {
    const result: Record<string, unknown> = {}
    for (const pair of map.items as Pair<Node | null, Node | null>[]) {
      const key = isScalar(pair.key) ? pair.key.value : undefined
      const offset = pair.key?.range?.[0] ?? 0
      // A key called __proto__ would set the prototype instead of a member, and nobody would see it.
      if (typeof key !== 'string' || key === '__proto__') {
        this.problem(path, offset, 'a key must be a name')
        continue
      }
      const inside = [...path, key]
      if (Object.hasOwn(result, key)) {
        this.problem(inside, offset, 'stands twice in its mapping; keep one')
        continue
      }
      this.#keys.set(id(inside), this.#locate(offset))
      result[key] = this.read(pair.value, inside, document)
    }
    return result
  }

  tree(value: unknown): Tree {
    const nearestTo = (maps: readonly Map<string, Position>[], path: Path): Position => {
      const here = maps.map((map) => map.get(id(path))).find((position) => position !== undefined)
      if (here !== undefined) return here
      return path.length === 0 ? TOP : nearestTo([this.#keys, this.#values], path.slice(0, -1))
    }
    return {
      value: this.#tooMuch ? undefined : value,
      issues: this.#issues,
      positionOf: (path) => nearestTo([this.#values, this.#keys], path),
      keyPositionOf: (path) => nearestTo([this.#keys, this.#values], path),
    }
  }
}
