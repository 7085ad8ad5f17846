/** Longer texts are not compared. */
export const LONGEST_COMPARED = 80

/** The three rows that are looked at, one after the other: made anew for each comparison they would be most of its cost. */
const rows = Array.from({ length: 3 }, () => new Uint8Array(LONGEST_COMPARED + 2))

/**
 * How many letters must be changed, added, taken away, or swapped with their neighbour; undefined if more than `most`.
 * Looks only at what so few changes can reach.
 */
export function changesBetween(a: string, b: string, most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most || Math.max(a.length, b.length) > LONGEST_COMPARED) return undefined
  const far = most + 1
  let [before, previous, row] = rows as [Uint8Array, Uint8Array, Uint8Array]
  for (let j = 0; j <= b.length + 1; j++) previous[j] = Math.min(j, far)
  let nearestBefore = 0
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most)
    const to = Math.min(b.length, i + most)
    row[from - 1] = from === 1 ? Math.min(i, far) : far
    let nearest = row[from - 1] ?? far
    for (let j = from; j <= to; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let least = (previous[j - 1] ?? far) + (isSame ? 0 : 1)
      least = Math.min(least, (previous[j] ?? far) + 1, (row[j - 1] ?? far) + 1)
      if (i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1))
        least = Math.min(least, (before[j - 2] ?? far) + 1)
      row[j] = Math.min(least, far)
      nearest = Math.min(nearest, least)
    }
    row[to + 1] = far
    // A swap reaches back two rows.
    if (nearest >= far && nearestBefore >= far) return undefined
    nearestBefore = nearest
    ;[before, previous, row] = [previous, row, before]
  }
  const changes = previous[b.length] ?? far
  return changes > most ? undefined : changes
}
