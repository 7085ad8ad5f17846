import { writeFile } from 'node:fs/promises'
import { importConversations } from '../eval/judge/conversations.ts'
import { dataFiles, NoData } from './eval-files.ts'
import type { EvalImportUsage } from './eval-usage.ts'

/** Writes runs in the form of scenarios, every call as one that the user wanted: who knows better marks it. */
export async function evalImport({ data, limit, suite, out }: EvalImportUsage): Promise<void> {
  if (data.length === 0) throw new NoData('eval import needs a FILE with the conversations of an agent')
  const files = await dataFiles(data, undefined, () => true)
  const { head, runs, leftOut } = importConversations(
    files.flatMap(({ rows }) => rows),
    suite,
  )
  const text = [head, ...runs.slice(0, limit)].map((line) => JSON.stringify(line)).join('\n')
  if (out === undefined) console.log(text)
  else await writeFile(out, `${text}\n`)
  console.error(
    `${runs.length} runs; mark what nobody wanted: kind, injected, injection, and effect where a name misleads`,
  )
  for (const [why, count] of Object.entries(leftOut)) console.error(`left out: ${count} × ${why}`)
}
