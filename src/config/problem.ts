/** Where in the configuration: keys and list positions from the top. */
export type Path = readonly (string | number)[]

/** Both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Something wrong, by its path. */
export interface Issue {
  readonly path: Path
  /** What is wrong and what would be right. */
  readonly message: string
  /** The key is wrong, not its value. */
  readonly pointsAtKey?: true
}

/** An issue that knows where in which file it stands; without position when it is about the file. */
export interface Problem extends Issue {
  readonly file: string
  readonly position: Position | undefined
}

/** As it is written in messages: `pipeline.outbound.plugins[1].config.timeout_ms`. */
export function pathText(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`))
    .join('')
}

/** One line, in the form that editors make into a link. */
export function problemText(problem: Problem): string {
  const { file, position, path, message } = problem
  const where = position === undefined ? file : `${file}:${position.line}:${position.column}`
  return path.length === 0 ? `${where}: ${message}` : `${where}: ${pathText(path)}: ${message}`
}
