import type { Evidence, SeenLeaf } from './evidence.ts'
import { isHandedOver, type Ground } from './ground.ts'
import type { Origin, Traced } from './origins.ts'
import { stemOf, wordsOf } from './stem.ts'
import { isGeneric } from './user.ts'

const ID_KEY = /(?:^|[_\W])ids?_?$|Ids?$|^@key$/
const MOST_RECORDS = 32
/** Of a longer field it is more than a name. */
const NAME_CHARACTERS = 60
const NAME_LETTERS = 4

/** The things that an id stands for: where it is a field of its own, under a name of ids if there is one. */
export function recordsNamed(form: string, leaves: readonly number[], evidence: Evidence): readonly number[] {
  const fields: SeenLeaf[] = []
  for (const leaf of leaves) {
    const field = evidence.leaves[leaf]
    if (field?.text.trim() === form) fields.push(field)
  }
  const named = fields.filter(({ key }) => ID_KEY.test(key))
  const records = new Set((named.length > 0 ? named : fields).map(({ record }) => record))
  return [...records].slice(0, MOST_RECORDS)
}

/** The fields of a record that say what it is. What it says to its reader does not name it. */
export function namesOf(record: number, evidence: Evidence): readonly SeenLeaf[] {
  return evidence
    .leavesOf(record)
    .filter(({ text, sentences }) => text.length < NAME_CHARACTERS && sentences.length <= 1)
}

/** What an id stands for may be named in a directive although the user never spoke of it. */
export function standsFor({ value, origin, records }: Traced, ground: Ground): Origin | undefined {
  if (!value.isId || records.length === 0 || (origin !== 'struct' && origin !== 'linked')) return undefined
  const stems = stemsNaming(records, ground.evidence)
  if ([...stems].some((stem) => ground.user.rare.has(stem))) return undefined
  let worst: Origin | undefined
  for (const stem of stems) {
    if (!saysSomething(stem, ground)) continue
    const told = toldBy(stem, records, ground)
    if (told === 'd2') return told
    worst ??= told
  }
  return worst
}

function stemsNaming(records: readonly number[], evidence: Evidence): ReadonlySet<string> {
  const names = records.flatMap((record) => namesOf(record, evidence)).filter(({ level }) => level < 1)
  return new Set(names.flatMap(({ text }) => wordsOf(text).map(stemOf)))
}

function saysSomething(stem: string, { systemStems }: Ground): boolean {
  return stem.length >= NAME_LETTERS && !/^\d{1,4}$/.test(stem) && !isGeneric(stem) && !systemStems.has(stem)
}

/** What the directives that hold a stem make of it. A record's own words name it, whatever they ask. */
function toldBy(stem: string, records: readonly number[], ground: Ground): Origin | undefined {
  const { evidence, attention } = ground
  let told: Origin | undefined
  for (const id of evidence.windowsWithStem(stem)) {
    const window = evidence.windows[id]
    if (window === undefined || window.level < 1 || records.includes(window.record)) continue
    if (alsoNamesOthers(stem, records, window.record, evidence)) continue
    if (window.level === 2) return 'd2'
    const pointedAt = attention.records.has(window.record) || attention.results.has(window.result)
    if (!(pointedAt && isHandedOver(ground))) told = 'd1x'
  }
  return told
}

/** What several things of one list are called by says of none of them that it was meant. */
function alsoNamesOthers(stem: string, records: readonly number[], told: number, evidence: Evidence): boolean {
  const lists = new Set(records.map((record) => evidence.records[record]?.result))
  return evidence
    .recordsWithStem(stem)
    .some((record) => record !== told && !records.includes(record) && lists.has(evidence.records[record]?.result))
}
