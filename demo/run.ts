import { FINANCE } from './finance/demo.ts'
import { MAIL } from './mail/demo.ts'
import { perform } from './stage/perform.ts'

const [name, ...options] = process.argv.slice(2)

process.exitCode = await choose()

function choose(): Promise<number> {
  if (name === 'finance') return perform(FINANCE, options)
  return perform(MAIL, name === 'mail' ? options : process.argv.slice(2))
}
