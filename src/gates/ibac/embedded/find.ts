const LETTER = /[\p{L}\p{N}]/u
const NUMBER = /(?<![\p{L}\p{N}])-?\d[\d,]{0,40}(?:\.\d{1,40})?/gu

/** Where a value stands in a text, not inside a longer word. Both in lower case. */
export function placesIn(text: string, value: string): readonly number[] {
  const places: number[] = []
  for (let at = placeFrom(text, value, 0); at !== -1; at = placeFrom(text, value, at + value.length)) places.push(at)
  return places
}

export function holds(text: string, value: string): boolean {
  return placeFrom(text, value, 0) !== -1
}

function placeFrom(text: string, value: string, from: number): number {
  if (value === '') return -1
  let at = text.indexOf(value, from)
  while (at !== -1 && !bordersAt(text, at, value.length)) at = text.indexOf(value, at + 1)
  return at
}

function bordersAt(text: string, at: number, length: number): boolean {
  return !isLetter(text, at - 1) && !isLetter(text, at + length)
}

const ASCII = Array.from({ length: 128 }, (_, code) => LETTER.test(String.fromCharCode(code)))

/** Asked thousands of times for one decision: nearly always of a character that needs no expression. */
function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return ASCII[code] ?? LETTER.test(text[at] ?? ' ')
}

/** Every number of a text, as what it is worth, and where it stands. */
export function numbersIn(text: string): readonly (readonly [value: number, at: number])[] {
  return [...text.matchAll(NUMBER)].map((found) => [worthOf(found[0]), found.index] as const)
}

export function worthOf(number: string): number {
  return Number(number.replaceAll(',', ''))
}

/** Every text and number of a value, keys left out. */
export function textsIn(value: unknown): readonly string[] {
  return leavesIn(value).map(([, text]) => text)
}

const DEEPEST = 32
/** More values than any tool asks for. */
export const MOST_VALUES = 1000

/** Every text and number of a value, each with the key that it stands under. Ends where nobody's arguments go on. */
export function leavesIn(value: unknown): readonly (readonly [key: string, text: string])[] {
  const found: (readonly [string, string])[] = []
  gather(value, '', 0, found)
  return found
}

function gather(value: unknown, key: string, depth: number, found: (readonly [string, string])[]): void {
  if (depth > DEEPEST || found.length > MOST_VALUES) return
  if (typeof value === 'string') found.push([key, value])
  else if (typeof value === 'number') found.push([key, String(value)])
  else if (Array.isArray(value)) for (const item of value) gather(item, key, depth + 1, found)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) gather(member, name, depth + 1, found)
  }
}
