const MONTH_NAMES = 'january february march april may june july august september october november december'.split(' ')
const WEEKDAY_NAMES = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')

function byName(names: readonly string[], first: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [at, name] of names.entries()) {
    found.set(name, at + first)
    found.set(name.slice(0, 3), at + first)
  }
  return found
}

/** From 1. */
export const MONTHS: ReadonlyMap<string, number> = new Map([...byName(MONTH_NAMES, 1), ['sept', 9]])
/** From Sunday, 0. */
export const WEEKDAYS: ReadonlyMap<string, number> = new Map([
  ...byName(WEEKDAY_NAMES, 0),
  ['tues', 2],
  ['thur', 4],
  ['thurs', 4],
])

/** Days of the same date in every year. */
export const HOLIDAYS: ReadonlyMap<string, readonly [month: number, day: number]> = new Map([
  ['new year', [1, 1]],
  ['new years day', [1, 1]],
  ['valentine', [2, 14]],
  ['valentines', [2, 14]],
  ['independence day', [7, 4]],
  ['halloween', [10, 31]],
  ['christmas eve', [12, 24]],
  ['christmas', [12, 25]],
  ['new years eve', [12, 31]],
  ['new year s eve', [12, 31]],
])
