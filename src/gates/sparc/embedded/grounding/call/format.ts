import type { Leaf } from '../leaves.ts'
import { exists } from '../said/days.ts'
import { momentOf } from '../values/moment-value.ts'
import { plainText } from '../text.ts'
import { shown } from '../../words.ts'
import type { Finding } from './finding.ts'

const FORMATS: readonly (readonly [asked: RegExp, shape: RegExp, name: string])[] = [
  [/yyyy-mm-dd[ t]hh:mm/i, /^\d{4}-\d{1,2}-\d{1,2}[ T]\d{1,2}:\d{2}/, 'YYYY-MM-DD HH:MM'],
  [/yyyy-mm-dd/i, /^\d{4}-\d{1,2}-\d{1,2}(?!\d)/, 'YYYY-MM-DD'],
  [/dd\/mm\/yyyy/i, /^\d{1,2}\/\d{1,2}\/\d{4}$/, 'DD/MM/YYYY'],
  [/mm\/dd\/yyyy/i, /^\d{1,2}\/\d{1,2}\/\d{4}$/, 'MM/DD/YYYY'],
  [/dd-mm-yyyy/i, /^\d{1,2}-\d{1,2}-\d{4}$/, 'DD-MM-YYYY'],
  [/(?<!dd[ t])hh:mm/i, /^\d{1,2}:\d{2}/, 'HH:MM'],
]

const NAMES: ReadonlySet<string> = new Set(['city', 'country', 'person', 'language', 'color', 'colour'])

/** A value in another form than its description asks for, or that no calendar has. */
export function formatFindings(leaves: readonly Leaf[]): readonly Finding[] {
  return leaves.flatMap((leaf) => {
    const told = mismatchOf(leaf)
    return told === undefined
      ? []
      : [
          {
            name: 'format_mismatch',
            parameters: [leaf.parameter],
            explanation: `${shown(leaf.value)} of '${leaf.path.join('.')}' ${told}.`,
          },
        ]
  })
}

function mismatchOf({ value, name, description }: Leaf): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const last = name.at(-1) ?? ''
  if (NAMES.has(last) && /^[-+]?\d+(?:\.\d+)?$/.test(value.trim())) return `is a number, and no ${last}`
  const asked = FORMATS.filter(([pattern]) => pattern.test(description.slice(0, 2000)))
  const [first] = asked
  // Several forms are as good as none: one of them may be for another case.
  if (
    first === undefined ||
    (asked.length > 1 && !/yyyy-mm-dd[ t]/i.test(description)) ||
    /\b(?:or|either|can be|range)\b/i.test(description)
  )
    return undefined
  const [, shape, form] = first
  if (!shape.test(value.trim())) return looksLikeMoment(value) ? `is not written as ${form}` : undefined
  return hasRealDay(value.trim()) ? undefined : 'is no day of the calendar'
}

function looksLikeMoment(value: string): boolean {
  return (
    momentOf(value) !== undefined ||
    /(?<![a-z])(?:today|tomorrow|yesterday|tonight|next|last|this|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?![a-z])/.test(
      plainText(value),
    )
  )
}

function hasRealDay(value: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{1,2})-(\d{1,2})/.exec(value) ?? []
  if (year !== '') return exists({ year: Number(year), month: Number(month), day: Number(day) })
  const [, a = '', b = '', last = ''] = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})/.exec(value) ?? []
  if (last === '') return true
  const both = [
    { year: Number(last), month: Number(a), day: Number(b) },
    { year: Number(last), month: Number(b), day: Number(a) },
  ]
  return both.some(exists)
}
