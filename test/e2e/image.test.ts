import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Closing } from '../support/closing.ts'
import { buildImage, productionPackages } from '../support/image.ts'
import type { Built } from '../support/image.ts'
import { startProgram } from '../support/process.ts'
import { scratchFolder } from '../support/scratch.ts'
import { runTool } from '../support/tools.ts'
import { until } from '../support/until.ts'

/** The images, without a container engine: what would be in them, and that it runs. */

const closing = new Closing()
let scratch: string
let images: ReadonlyMap<string, Built>
beforeAll(async () => {
  scratch = closing.add(await scratchFolder()).path
  images = buildImage(scratch)
  // It compiles the project and copies its packages.
}, 300_000)
afterAll(() => closing.close())

const image = (name: string): Built => images.get(name) ?? expect.fail(`no stage ${name}`)
const filesOf = (name: string) =>
  readdirSync(image(name).folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(image(name).folder.length))

/** The image's entry point, with this Node in place of its own. */
function words(name: string): readonly string[] {
  const [, ...rest] = image(name).entrypoint
  return rest.map((word) => (word.startsWith('/') ? join(image(name).folder, word) : word))
}

test.each(['Dockerfile', 'sparc-service/Dockerfile'])('hadolint finds nothing in %s', (file) => {
  expect(runTool('hadolint', file)).toBe('')
})

test('the image holds what it needs and nothing else', () => {
  const files = filesOf('')
  const top = new Set(files.map((file) => file.split('/').slice(0, 3).join('/')))
  expect([...top].sort()).toEqual(['/app/LICENSE', '/app/dist', '/app/node_modules', '/app/package.json', '/app/proto'])
  expect(files.filter((file) => /\/dist\/.*\.test\.|\.(key|pem)$|\/\.(git|env|cache)\b/.test(file))).toEqual([])
})

test('its packages are those of production, and none is for one kind of machine', () => {
  const files = filesOf('')
  for (const name of ['typescript', 'vitest', 'tsx']) {
    expect(files.filter((file) => file.startsWith(`/app/node_modules/${name}/`))).toEqual([])
  }
  expect(productionPackages().length).toBeGreaterThan(10)
  expect(files.filter((file) => /\.(node|so|dylib|dll|exe)$|\/binding\.gyp$/.test(file))).toEqual([])
})

test('nobody in it is root', () => {
  expect(image('').user).toBe('65532:65532')
  expect(image('demo').user).toBe('1000:1000')
})

test('it says its version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(execFileSync(process.execPath, [...words(''), 'version'], { cwd: '/', encoding: 'utf8' }).trim()).toBe(version)
})

test('it serves, and ends when it is told to', async () => {
  const config = join(scratch, 'plumbline.yaml')
  const socket = join(scratch, 'p.sock')
  await writeFile(
    config,
    readFileSync('compose/with-gate.yaml', 'utf8')
      .replace('/run/plumbline/plumbline.sock', socket)
      .replace('127.0.0.1:9094', '127.0.0.1:0'),
  )
  const program = closing.add(startProgram(process.execPath, [...words(''), 'serve', '--config', config]))
  await until('the image to serve', () => {
    if (program.hasEnded()) throw new Error([...program.stdout, ...program.stderr].join('\n'))
    return program.stdout.find((line) => line.includes('"ready"'))
  })
  program.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})

test("the demo's image has all that its players import", async () => {
  const files = filesOf('demo')
  expect(files.filter((file) => /\.test\.|\.(key|pem)$|node_modules/.test(file))).toEqual([])
  // What Node 24 does by itself.
  const loader = pathToFileURL(join(process.cwd(), 'node_modules/tsx/dist/loader.mjs')).href
  const program = closing.add(startProgram(process.execPath, ['--import', loader, ...words('demo'), 'nobody']))
  expect(await program.ended).toBe(1)
  expect(program.stderr.join('\n')).toContain('Which role? agent, evil, mail, model, user')
})
