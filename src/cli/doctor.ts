import { readFile } from 'node:fs/promises'
import { printable } from '../core/printable.ts'
import { inboundCanaries, outboundCanaries } from '../doctor/canaries/run.ts'
import { readBootstrap } from '../doctor/envoy/bootstrap.ts'
import {
  type Diagnosis,
  examineEnvoy,
  isWrong,
  type Lacking,
  NOTHING,
  outcomes,
  type Source,
  together,
} from '../doctor/examine.ts'
import type { Needs } from '../doctor/needs.ts'
import { jsonReport, textReport } from '../doctor/report.ts'
import { examineRunning, nodeVersionOf } from '../doctor/running.ts'
import { type AdminClient, adminOf, type Wrong } from './admin-client.ts'
import { askEnvoy, type EnvoyAnswers } from './envoy-admin.ts'
import { exchangesOf, type Asking } from './exchanges-asked.ts'
import { needsOf } from './needs.ts'
import type { DoctorUsage } from './usage.ts'
import { messageOf } from '../core/message-of.ts'

const FOUND = 1
const WRONG_USE = 2

/** What the options led to, each with the reason where it led to nothing. */
interface Gathered {
  readonly admin: AdminClient | undefined
  readonly asking: Asking
  readonly needs: Needs | Wrong | undefined
  readonly file: Source | undefined
  readonly envoy: EnvoyAnswers | Wrong | undefined
  readonly outbound: URL | undefined
  readonly inbound: URL | undefined
}

/** Gives the exit code. */
export async function doctor(usage: DoctorUsage): Promise<number> {
  const gathered = await gather(usage)
  if ('wrong' in gathered) {
    console.error(gathered.wrong)
    return WRONG_USE
  }
  const diagnosis = await examine(gathered)
  const results = outcomes(diagnosis, lacking(gathered))
  const report = usage.json ? jsonReport(results, diagnosis.notes) : textReport(results, diagnosis.notes)
  // It quotes what servers answered to canaries.
  console.log(printable(report))
  return results.some(isWrong) ? FOUND : 0
}

/** What cannot be used at all is wrong use; what does not answer is a finding. */
async function gather(usage: DoctorUsage): Promise<Gathered | Wrong> {
  // With nothing said at all it is the Plumbline of this machine.
  const { config, envoyConfig, envoyAdmin } = usage
  const nothing = [config, usage.admin, envoyConfig, envoyAdmin, usage.outbound, usage.inbound].every(
    (each) => each === undefined,
  )
  const admin = config !== undefined || usage.admin !== undefined || nothing ? await adminOf(usage) : undefined
  if (admin !== undefined && 'wrong' in admin) return admin
  const file = envoyConfig === undefined ? undefined : await readFileOf(envoyConfig)
  if (file !== undefined && 'wrong' in file) return file
  const outbound = urlOf('outbound', usage.outbound)
  if (outbound !== undefined && 'wrong' in outbound) return outbound
  const inbound = urlOf('inbound', usage.inbound)
  if (inbound !== undefined && 'wrong' in inbound) return inbound
  return {
    admin,
    asking: await exchangesOf(admin),
    needs: config === undefined ? undefined : await needsOf(config),
    file,
    envoy: envoyAdmin === undefined ? undefined : await askEnvoy(envoyAdmin),
    outbound,
    inbound,
  }
}

async function readFileOf(name: string): Promise<Source | Wrong> {
  let text: string
  try {
    text = await readFile(name, 'utf8')
  } catch (error) {
    return { wrong: `${name}: cannot be read: ${messageOf(error)}` }
  }
  const setup = readBootstrap(text)
  return 'wrong' in setup ? { wrong: `${name}: ${setup.wrong}` } : { name, setup }
}

function urlOf(option: string, text: string | undefined): URL | Wrong | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const usable = url !== undefined && ['http:', 'https:'].includes(url.protocol)
  return usable ? url : { wrong: `--${option} must be a URL such as http://127.0.0.1:8000` }
}

async function examine({ admin, asking, needs, file, envoy, outbound, inbound }: Gathered): Promise<Diagnosis> {
  const ready = admin === undefined ? undefined : await admin.get('/readyz')
  const answered = envoy === undefined || 'wrong' in envoy ? undefined : envoy
  const sources = [...(file === undefined ? [] : [file]), ...(answered === undefined ? [] : [answered.source])]
  const known = {
    needs: needs === undefined || 'wrong' in needs ? undefined : needs,
    nodeVersion: nodeVersionOf(ready),
  }
  const canary = { exchanges: asking.exchanges, maxBodyBytes: known.needs?.maxBodyBytes }
  return together([
    examineEnvoy(sources, answered?.running, known),
    envoy !== undefined && 'wrong' in envoy ? unanswered(envoy) : NOTHING,
    admin === undefined || ready === undefined ? NOTHING : examineRunning(ready, admin.address, known.needs?.digest),
    // One after the other, so that each finds its own record.
    outbound === undefined ? NOTHING : await outboundCanaries({ url: outbound, ...canary }),
    inbound === undefined ? NOTHING : await inboundCanaries({ url: inbound, ...canary }),
  ])
}

function unanswered({ wrong }: Wrong): Diagnosis {
  const lines = 'Is --envoy-admin what stands under "admin:" in its configuration? A socket needs the right to open it.'
  return {
    ...NOTHING,
    findings: [{ id: 'envoy_unanswered', where: "Envoy's admin", wrong, mend: { at: 'elsewhere', lines } }],
  }
}

/** Why checks could not be made: the option that would let them. */
function lacking({ admin, asking, needs, file, envoy, outbound, inbound }: Gathered): Lacking {
  const answered = envoy !== undefined && !('wrong' in envoy)
  const entries = {
    envoy: file !== undefined || answered ? undefined : 'give --envoy-config FILE or --envoy-admin ADDRESS',
    envoyAdmin: answered
      ? undefined
      : envoy === undefined
        ? 'give --envoy-admin ADDRESS'
        : "Envoy's admin does not answer",
    config: needs === undefined ? 'give --config FILE' : 'wrong' in needs ? needs.wrong : undefined,
    running: admin === undefined ? 'give --config FILE or --admin ADDRESS' : undefined,
    exchanges: asking.why,
    outbound: outbound === undefined ? 'give --outbound URL' : undefined,
    inbound: inbound === undefined ? 'give --inbound URL' : undefined,
    canary: outbound === undefined && inbound === undefined ? 'give --outbound URL or --inbound URL' : undefined,
  }
  return Object.fromEntries(Object.entries(entries).filter(([, why]) => why !== undefined))
}
