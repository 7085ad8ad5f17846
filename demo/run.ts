import { FINANCE } from './finance/demo.ts'
import { MAIL } from './mail/demo.ts'
import { perform } from './stage/performance.ts'

const [name, ...options] = process.argv.slice(2)

process.exitCode = await (name === 'finance' ? perform(FINANCE, options) : perform(MAIL, process.argv.slice(2)))
