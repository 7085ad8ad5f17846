import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSeenFiles } from './seen-files.ts'

let folder = ''
let file = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-seen-'))
  file = join(folder, 'plumbline.yaml')
})
afterEach(() => rm(folder, { recursive: true }))

/** As kubelet mounts a ConfigMap: the name leads through a link that is swapped. */
async function mountAs(generation: string, content: string): Promise<void> {
  await mkdir(join(folder, generation))
  await writeFile(join(folder, generation, 'plumbline.yaml'), content)
  await symlink(generation, join(folder, '..data_tmp'))
  await rename(join(folder, '..data_tmp'), join(folder, '..data'))
}

const CHANGES: readonly (readonly [string, () => Promise<void>])[] = [
  ['rewritten in place', () => writeFile(file, 'b: 1')],
  [
    'renamed over, as editors do',
    async () => {
      await writeFile(`${file}~`, 'b: 1')
      await rename(`${file}~`, file)
    },
  ],
  ['deleted', () => unlink(file)],
  ['emptied', () => writeFile(file, '')],
]

test.each(CHANGES)('a file that is %s differs, until it is read again', async (_name, change) => {
  await writeFile(file, 'a: 1')
  const seen = createSeenFiles()
  await seen.read(file)
  expect(await seen.differ()).toBe(false)
  await change()
  expect(await seen.differ()).toBe(true)
  await seen.read(file).catch(() => undefined)
  expect(await seen.differ()).toBe(false)
})

test('a mounted volume whose link is swapped differs, and the same content under another link does not', async () => {
  await mountAs('..1', 'a: 1')
  await symlink('..data/plumbline.yaml', file)
  const seen = createSeenFiles()
  expect(Buffer.from(await seen.read(file)).toString()).toBe('a: 1')
  await mountAs('..2', 'a: 1')
  expect(await seen.differ()).toBe(false)
  await mountAs('..3', 'a: 2')
  expect(await seen.differ()).toBe(true)
})

test('a file that is not there yet differs once it is', async () => {
  const seen = createSeenFiles()
  await expect(seen.read(file)).rejects.toThrow('ENOENT')
  expect(await seen.differ()).toBe(false)
  await writeFile(file, 'a: 1')
  expect(await seen.differ()).toBe(true)
})

test('any of several', async () => {
  const other = join(folder, 'token')
  await writeFile(file, 'a: 1')
  await writeFile(other, 't1')
  const seen = createSeenFiles()
  await seen.read(file)
  await seen.read(other)
  await writeFile(other, 't2')
  expect(await seen.differ()).toBe(true)
})

test('what is no file never differs: a pipe speaks once', async () => {
  const seen = createSeenFiles()
  await seen.read('/dev/null')
  expect(await seen.differ()).toBe(false)
})

test('a file too large to be any of ours is not read, and differs once it is another', async () => {
  await writeFile(file, '')
  await truncate(file, 5 * 1024 * 1024 * 1024)
  const seen = createSeenFiles()
  await expect(seen.read(file)).rejects.toThrow('plumbline.yaml is larger than 4194304 bytes')
  expect(await seen.differ()).toBe(false)
  await writeFile(file, 'a: 1')
  expect(await seen.differ()).toBe(true)
})

describe('where only files are read', () => {
  test('a file is', async () => {
    await writeFile(file, 'a: 1')
    expect(Buffer.from(await createSeenFiles({ filesOnly: true }).read(file)).toString()).toBe('a: 1')
  })

  test.each<[string, (path: string) => Promise<void> | void]>([
    ['a pipe that nobody writes to', (path) => void execFileSync('mkfifo', [path])],
    ['a device without end', (path) => symlink('/dev/zero', path)],
    ['a folder', async (path) => void (await mkdir(path))],
  ])('%s is refused, and nothing waits for it', async (_name, make) => {
    await make(file)
    const seen = createSeenFiles({ filesOnly: true })
    await expect(seen.read(file)).rejects.toThrow(/is no regular file/)
    expect(await seen.differ()).toBe(false)
    await rm(file, { recursive: true })
    await writeFile(file, 'a: 1')
    expect(await seen.differ()).toBe(true)
  })
})
