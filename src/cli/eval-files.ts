import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { BadData, rowsIn, type Row } from '../eval/rows.ts'

/** Where the data is, when the command line does not say. */
export const DATA_VARIABLE = 'PLUMBLINE_EVAL_DATA'

export interface DataFile {
  readonly file: string
  readonly rows: readonly Row[]
  /** Of its text. */
  readonly digest: string
}

/** Says what to set. Ends with the exit code for wrong use. */
export class NoData extends Error {}

const DATA = /\.jsonl(?:\.gz)?$/

/**
 * The files that were named; else those of the folder in the environment that are of this kind, by their first row.
 * A file that was named is what it should be, or its reader says where it is not.
 */
export async function dataFiles(
  named: readonly string[],
  folder: string | undefined,
  isOurs: (first: Row) => boolean,
): Promise<readonly DataFile[]> {
  if (named.length > 0) return Promise.all(named.map(readData))
  if (folder === undefined || folder === '') throw new NoData(NO_FOLDER)
  const names = (await namesIn(folder)).filter((name) => DATA.test(name)).sort()
  const files = await Promise.all(names.map((name) => readData(join(folder, name))))
  const ours = files.filter(({ rows: [first] }) => first !== undefined && isOurs(first))
  if (ours.length === 0) throw new NoData(`${DATA_VARIABLE}=${folder}: no file in it holds data for this command.`)
  return ours
}

const NO_FOLDER = `There is no data to measure on. Name files with --data, or set the folder they are in:\n  export ${DATA_VARIABLE}=/path/to/folder`

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    throw new NoData(`${DATA_VARIABLE}=${folder}: ${codeOf(error)}`)
  }
}

/** More of text in memory would be a mistake, such as a disk image. */
const MOST_BYTES = 500_000_000
const unzip = promisify(gunzip)

async function readData(file: string): Promise<DataFile> {
  const text = await textOf(file)
  return { file, rows: rowsIn(file, text), digest: createHash('sha256').update(text).digest('hex') }
}

async function textOf(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > MOST_BYTES) throw new BadData({ file }, `over ${MOST_BYTES} bytes`)
    const bytes = await readFile(file)
    return (file.endsWith('.gz') ? await unzip(bytes, { maxOutputLength: MOST_BYTES }) : bytes).toString('utf8')
  } catch (error) {
    if (error instanceof BadData) throw error
    throw new BadData({ file }, `cannot be read: ${codeOf(error)}`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
