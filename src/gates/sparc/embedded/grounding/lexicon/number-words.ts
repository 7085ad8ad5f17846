const numbered = (words: string, first: number): readonly (readonly [string, number])[] =>
  words.split(' ').map((word, at) => [word, first + at] as const)

export const SMALL: ReadonlyMap<string, number> = new Map([
  ...numbered(
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
      'eighteen nineteen',
    0,
  ),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, at) => [word, 20 + 10 * at] as const),
])

export const SCALES: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['k', 1000],
  ['lakh', 1e5],
  ['lakhs', 1e5],
  ['million', 1e6],
  ['millions', 1e6],
  ['m', 1e6],
  ['mn', 1e6],
  ['crore', 1e7],
  ['crores', 1e7],
  ['billion', 1e9],
  ['bn', 1e9],
  ['b', 1e9],
  ['trillion', 1e12],
  ['dozen', 12],
])

export const ORDINALS: ReadonlyMap<string, number> = new Map(
  numbered('first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth', 1),
)

/** Words that say a number among others, and how often a year something happens. */
export const OTHERS: ReadonlyMap<string, number> = new Map([
  ['once', 1],
  ['single', 1],
  ['twice', 2],
  ['double', 2],
  ['both', 2],
  ['couple', 2],
  ['pair', 2],
  ['triple', 3],
  ['thrice', 3],
  ['half', 0.5],
  ['quarter', 0.25],
  ['dozen', 12],
  ['annually', 1],
  ['annual', 1],
  ['yearly', 1],
  ['semiannually', 2],
  ['semiannual', 2],
  ['biannually', 2],
  ['quarterly', 4],
  ['monthly', 12],
  ['biweekly', 26],
  ['weekly', 52],
  ['daily', 365],
])
