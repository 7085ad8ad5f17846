import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser'

export type Path = readonly (string | number)[]

/** A change in a JSON value. All paths are of the value before any change. */
export type Change =
  /** Another value for a member, which may be new, or for an element, which is there. */
  | { readonly kind: 'set'; readonly path: Path; readonly value: unknown }
  /** One more element at the end of a list. */
  | { readonly kind: 'append'; readonly path: Path; readonly value: unknown }
  /** Without this member or element. */
  | { readonly kind: 'drop'; readonly path: Path }

interface Splice {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The text with these changes. All else stays as it was written: white space, numbers, members that nobody knows. */
export function editJson(text: string, changes: readonly Change[]): string {
  const root = parseTree(text)
  if (root === undefined) throw new Error('no JSON to edit')
  const at = (path: Path): Node | undefined => findNodeAtLocation(root, [...path])
  const dropped = droppedIn(changes, at)
  const splices = [...dropped].flatMap(([list, children]) => dropSplices(list, children))
  for (const change of changes) {
    if (change.kind === 'drop') continue
    const node = at(change.path)
    if (change.kind === 'append') splices.push(appendSplice(existing(node), change.value))
    else if (node !== undefined) splices.push({ from: node.offset, to: end(node), text: JSON.stringify(change.value) })
  }
  return splice(text, [...newMembers(changes, at, dropped), ...splices])
}

/** What is dropped, by the object or list that it is in. */
function droppedIn(changes: readonly Change[], at: (path: Path) => Node | undefined): Map<Node, Set<Node>> {
  const dropped = new Map<Node, Set<Node>>()
  for (const { kind, path } of changes) {
    if (kind !== 'drop') continue
    const value = existing(at(path))
    // A member is the key together with its value.
    const child = value.parent?.type === 'property' ? value.parent : value
    const list = existing(child.parent)
    const children = dropped.get(list) ?? new Set()
    dropped.set(list, children.add(child))
  }
  return dropped
}

/** Each with the comma that would be one too many. */
function dropSplices(list: Node, dropped: ReadonlySet<Node>): readonly Splice[] {
  const children = list.children ?? []
  const firstKept = children.findIndex((child) => !dropped.has(child))
  const first = children[0]
  const last = children.at(-1)
  if (first === undefined || last === undefined) return []
  const kept = children[firstKept]
  if (kept === undefined) return [{ from: first.offset, to: end(last), text: '' }]
  const leading = firstKept === 0 ? [] : [{ from: first.offset, to: kept.offset, text: '' }]
  const later = children.flatMap((child, index) => {
    const before = children[index - 1]
    return index > firstKept && before !== undefined && dropped.has(child)
      ? [{ from: end(before), to: end(child), text: '' }]
      : []
  })
  return [...leading, ...later]
}

/** At the beginning of their objects, where no splice of a drop begins before them. */
function newMembers(
  changes: readonly Change[],
  at: (path: Path) => Node | undefined,
  dropped: ReadonlyMap<Node, ReadonlySet<Node>>,
): readonly Splice[] {
  const added = new Map<Node, string[]>()
  for (const change of changes) {
    if (change.kind !== 'set' || at(change.path) !== undefined) continue
    const object = existing(at(change.path.slice(0, -1)))
    const members = added.get(object) ?? []
    added.set(object, members)
    members.push(`${JSON.stringify(change.path.at(-1))}:${JSON.stringify(change.value)}`)
  }
  return [...added].map(([object, members]) => {
    const left = (object.children ?? []).length - (dropped.get(object)?.size ?? 0)
    const from = object.offset + 1
    return { from, to: from, text: members.join(',') + (left > 0 ? ',' : '') }
  })
}

function appendSplice(list: Node, value: unknown): Splice {
  const last = list.children?.at(-1)
  const from = last === undefined ? list.offset + 1 : end(last)
  return { from, to: from, text: (last === undefined ? '' : ',') + JSON.stringify(value) }
}

function splice(text: string, splices: readonly Splice[]): string {
  let from = 0
  let edited = ''
  for (const each of splices.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    edited += text.slice(from, each.from) + each.text
    from = each.to
  }
  return edited + text.slice(from)
}

const end = (node: Node): number => node.offset + node.length

function existing(node: Node | undefined): Node {
  if (node === undefined) throw new Error('nothing to edit there')
  return node
}
