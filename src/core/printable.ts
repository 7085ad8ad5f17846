/**
 * All that moves a cursor, colours, or turns the direction of writing, but the end of a line; also the controls above
 * ASCII, which JSON leaves as they are and some terminals obey.
 */
const OBEYED = /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** For a terminal: what others wrote cannot do anything there. JSON stays the same JSON. */
export function printable(text: string): string {
  return text.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
