import { readFile, rename, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Guard } from '../../test/support/guard.ts'
import type { PlumblineConfig } from '../../test/support/plumbline.ts'
import { until } from '../../test/support/until.ts'
import { recordsOf } from './records.ts'

/** From act to act. */
export interface Changeover {
  /** Puts the configuration of the act in force. */
  use(config: PlumblineConfig): Promise<void>
  /** What Plumbline wrote of the act: of these requests at least. */
  records(requestIds: readonly string[]): Promise<readonly ExchangeRecord[]>
}

/** Each act has a process of its own, which has seen nothing before, and tells all of the act when it ends. */
export function restarting(guard: Guard): Changeover {
  return { use: (config) => guard.restartPlumbline(config), records: () => recordsOf(guard) }
}

/** One process for all acts, which takes the configuration of the next from its file: many acts in little time. */
export function reloading(guard: Guard): Changeover {
  const { file, program } = guard.plumbline()
  let first = 0
  return {
    use: async ({ pipeline }) => {
      first = program.stdout.length
      const whole = { ...(JSON.parse(await readFile(file, 'utf8')) as object), pipeline }
      const text = JSON.stringify(whole, undefined, 2)
      await writeFile(`${file}~`, text)
      await rename(`${file}~`, file)
      program.kill('SIGHUP')
      await inForce(guard, text)
    },
    records: (requestIds) => Promise.all(requestIds.map((id) => recordAfter(program.stdout, first, id))),
  }
}

async function inForce({ adminPort }: Guard, text: string): Promise<void> {
  const digest = createHash('sha256').update(text).digest('hex')
  await until('the configuration to be in force', async () => {
    const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`)
    const { configuration } = (await ready.json()) as { configuration?: { digest?: string } }
    return configuration?.digest === digest ? true : undefined
  })
}

/** Looks at no line of the acts before: there are many. */
function recordAfter(lines: readonly string[], first: number, id: string): Promise<ExchangeRecord> {
  return until(`the record of ${id}`, () => {
    const line = lines.slice(first).find((each) => each.includes('"invocations"') && each.includes(id))
    return line === undefined ? undefined : (JSON.parse(line) as ExchangeRecord)
  })
}
