import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Played } from '../eval/judge/play.ts'
import { BadData, readRow, rowsIn } from '../eval/rows.ts'

/** What must be the same for one measurement to go on with another's runs. */
export type Key = Readonly<Record<string, unknown>>

/** Keeps each run as soon as it ended: whoever pays by the question does not ask twice. */
export interface Journal {
  /** Of an earlier measurement. */
  readonly known: readonly Played[]
  add(played: Played): void
  /** The measurement is over, and its file written. */
  close(): void
}

const playedForm = z.object({
  id: z.string(),
  decisions: z.array(
    z.object({
      score: z.number().optional(),
      denied: z.boolean().optional(),
      failure: z.string().optional(),
      unclear: z.string().optional(),
      ms: z.number(),
      questions: z.number(),
      tokens: z.number(),
    }),
  ),
  intakeMs: z.number(),
  intakeCharacters: z.number(),
})
const outForm = z.object({ key: z.record(z.string(), z.unknown()), runs: z.array(playedForm) })

export const NO_JOURNAL: Journal = { known: [], add: () => undefined, close: () => undefined }

/** Beside the file that is written at the end, until then. */
export function openJournal(out: string, key: Key, resume: boolean): Journal {
  const part = `${out}.part`
  const known = resume ? (existsSync(part) ? partOf(part, key) : existsSync(out) ? wholeOf(out, key) : []) : []
  writeFileSync(part, [{ key }, ...known].map((line) => `${JSON.stringify(line)}\n`).join(''))
  return {
    known,
    add: (played) => appendFileSync(part, `${JSON.stringify(played)}\n`),
    close: () => rmSync(part),
  }
}

function partOf(file: string, key: Key): readonly Played[] {
  // The last line may be cut off, where the measurement was.
  const text = readFileSync(file, 'utf8')
  const [head, ...runs] = rowsIn(file, text.slice(0, text.lastIndexOf('\n') + 1))
  if (head === undefined) return []
  same(file, readRow(head, z.object({ key: z.record(z.string(), z.unknown()) })).key, key)
  return answered(runs.map((row) => readRow(row, playedForm)))
}

function wholeOf(file: string, key: Key): readonly Played[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new BadData({ file }, 'no JSON, so --resume cannot go on with it')
  }
  const read = readRow({ file, line: 1, value }, outForm)
  same(file, read.key, key)
  return answered(read.runs)
}

function same(file: string, old: Key, key: Key): void {
  const names = [...new Set([...Object.keys(old), ...Object.keys(key)])]
  const other = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(key[name]))
  if (other.length > 0) {
    throw new BadData({ file }, `is of another measurement (${other.join(', ')}), so --resume cannot go on with it`)
  }
}

/** Runs with a question that nobody answered are played again. */
function answered(runs: readonly z.infer<typeof playedForm>[]): readonly Played[] {
  return (runs as readonly Played[]).filter(({ decisions }) => decisions.every(({ failure }) => failure === undefined))
}
