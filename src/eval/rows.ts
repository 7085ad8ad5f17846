import type { ZodType } from 'zod'

/** One line of a file of data. */
export interface Row {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly value: unknown
}

/** Data that is not in the form it must have. Says where. */
export class BadData extends Error {
  constructor(where: { readonly file: string; readonly line?: number }, what: string) {
    super(where.line === undefined ? `${where.file}: ${what}` : `${where.file}:${where.line}: ${what}`)
  }
}

/** The rows of JSON lines; empty lines are none. */
export function rowsIn(file: string, text: string): readonly Row[] {
  return text.split('\n').flatMap((content, index) => {
    if (content.trim() === '') return []
    const line = index + 1
    try {
      return [{ file, line, value: JSON.parse(content) as unknown }]
    } catch (error) {
      throw new BadData({ file, line }, `no JSON: ${error instanceof Error ? error.message : 'unreadable'}`)
    }
  })
}

/** What a row holds, in the form that it must have. */
export function readRow<T>(row: Row, form: ZodType<T>): T {
  const read = form.safeParse(row.value)
  if (read.success) return read.data
  const [first] = read.error.issues
  const path = first?.path.map(String).join('.') ?? ''
  throw new BadData(row, `${path === '' ? '' : `${path}: `}${first?.message ?? 'not in the expected form'}`)
}
