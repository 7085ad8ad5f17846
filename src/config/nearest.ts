/** How many letters must be changed, added, taken away, or swapped with their neighbour. */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity
      row.push(Math.min(changed, swapped, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    before = previous
    previous = row
  }
  return previous[b.length] ?? 0
}

const LONGEST_NAME = 64

/** The known name that was probably meant, if one is near enough. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined
  const folded = (text: string) => text.toLowerCase().replaceAll('-', '_')
  const ranked = known
    .map((each) => ({ each, far: distance(folded(name), folded(each)) }))
    .sort((a, b) => a.far - b.far)
  const best = ranked[0]
  return best !== undefined && best.far <= Math.max(1, Math.floor(best.each.length / 3)) ? best.each : undefined
}

/** "unknown …" with the nearest known name, or all of them. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
  const all = known.length === 0 ? 'there is none' : `known: ${known.join(', ')}`
  return `unknown ${what} ${JSON.stringify(name.slice(0, LONGEST_NAME))}${hint} (${all})`
}
