import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Starting Node with a TypeScript loader on a busy machine. */
const LIMIT_MS = 60_000

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-cli-'))
})
afterAll(() => rm(folder, { recursive: true }))

const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface Program {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Until it has printed something; ends too when the program does. */
  printed(text: string): Promise<void>
}

function plumbline(words: readonly string[], nodeOptions: readonly string[] = []): Program {
  const child = spawn(process.execPath, ['--import', 'tsx', ...nodeOptions, 'src/main.ts', ...words], { cwd: ROOT })
  running.add(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()))
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      running.delete(child)
      resolve({ code, out, err })
    })
  })
  const printed = async (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (out.includes(text)) resolve()
      }
      child.stdout.on('data', look)
      void ended.then(() => reject(new Error(`ended without ${text}:\n${out}${err}`)))
      look()
    })
  return { child, ended, printed }
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const listening = (extProc: string) =>
  `pipeline: {}\nlistener: {ext_proc_addr: "${extProc}"}\nadmin: {address: "127.0.0.1:0"}\n`

describe('plumbline serve', { timeout: LIMIT_MS }, () => {
  test('serves, says what is open, and drains on SIGTERM', async () => {
    const path = await file('serve.yaml', listening('127.0.0.1:0'))
    const program = plumbline(['serve', '--config', path])
    await program.printed('"msg":"ready"')
    program.child.kill('SIGTERM')
    const { code, out } = await program.ended
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(code).toBe(0)
    expect(lines).toContainEqual(expect.objectContaining({ setting: expect.stringContaining('no gate') as string }))
    expect(lines.filter((line) => JSON.stringify(line).includes('forge'))).toEqual([
      expect.objectContaining({ warning: expect.stringContaining('without a token') as string }),
    ])
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' })
  })

  test.each(['SIGTERM', 'SIGINT'])('ends at once on %s before it is ready', async (signal) => {
    const path = await file('early.yaml', listening('127.0.0.1:0'))
    // It comes when somebody listens for it for the first time.
    const send = `data:text/javascript,process.on("newListener",(name)=>{if(name==="${signal}")setImmediate(()=>process.kill(process.pid,name))})`
    const { code, out, err } = await plumbline(['serve', '--config', path], ['--import', send]).ended
    expect({ code, out, err }).toEqual({ code: 0, out: '', err: `${signal} before it was ready: stopped\n` })
  })

  test('does not wait after a second signal', async () => {
    const path = await file('twice.yaml', listening('127.0.0.1:0'))
    const program = plumbline(['serve', '--config', path])
    await program.printed('"msg":"ready"')
    program.child.kill('SIGINT')
    await program.printed('"msg":"draining"')
    program.child.kill('SIGINT')
    expect((await program.ended).code).toBe(1)
  })

  test('ends when an error is lost, without draining', async () => {
    const path = await file('lost.yaml', listening('127.0.0.1:0'))
    const lose = 'data:text/javascript,process.on("SIGUSR2",()=>{Promise.reject(new Error("lost"))})'
    const program = plumbline(['serve', '--config', path], ['--import', lose])
    await program.printed('"msg":"ready"')
    program.child.kill('SIGUSR2')
    const { code, out } = await program.ended
    expect(code).toBe(1)
    expect(out).toContain('an error was lost')
    expect(out).not.toContain('draining')
  })
})
