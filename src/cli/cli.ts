import { doctor } from './doctor.ts'
import { evaluate } from './eval.ts'
import { explain } from './explain.ts'
import { schemaText } from './schema.ts'
import { serve } from './serve.ts'
import { readUsage, USAGE } from './usage.ts'
import { validate } from './validate.ts'
import { version } from './version.ts'

const WRONG = 2

/** Does what the command line asks for. Gives the exit code. */
export async function runCli(words: readonly string[]): Promise<number> {
  const usage = readUsage(words)
  switch (usage.name) {
    case 'help':
      console.log(USAGE)
      return 0
    case 'version':
      console.log(version())
      return 0
    case 'validate':
      return (await validate(usage.file, usage.json)) ? 0 : WRONG
    case 'schema':
      console.log(schemaText())
      return 0
    case 'explain':
      return explain(usage)
    case 'doctor':
      return doctor(usage)
    case 'eval':
      return evaluate(usage)
    case 'serve':
      return serve(usage.file)
    case 'wrong':
      console.error(`${usage.message}\n\n${USAGE}`)
      return WRONG
  }
}
