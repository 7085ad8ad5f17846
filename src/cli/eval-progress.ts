/** Says on standard error how far it is, and how long it will still take. */
export interface Progress {
  at(done: number, note?: string): void
  end(): void
}

/** A terminal gets one line that changes; a file gets a line now and then. */
const EVERY_MS = { terminal: 200, file: 15_000 } as const

export function newProgress(total: number, out: NodeJS.WriteStream = process.stderr, now = Date.now): Progress {
  const terminal = out.isTTY
  const start = now()
  let first: number | undefined
  let told = terminal ? 0 : start
  return {
    at: (done, note = '') => {
      const time = now()
      first ??= done
      if (time - told < EVERY_MS[terminal ? 'terminal' : 'file']) return
      told = time
      const text = `${done} of ${total}${leftText(time - start, done - first, total - done)}${note === '' ? '' : `, ${note}`}`
      out.write(terminal ? `\r\x1b[K${text}` : `${text}\n`)
    },
    end: () => {
      if (terminal && told > 0) out.write('\r\x1b[K')
    },
  }
}

function leftText(spentMs: number, done: number, left: number): string {
  if (done <= 0) return ''
  const seconds = Math.round((spentMs / done) * left) / 1000
  if (seconds < 90) return `, ${Math.ceil(seconds)} s left`
  return seconds < 5400 ? `, ${Math.ceil(seconds / 60)} min left` : `, ${(seconds / 3600).toFixed(1)} h left`
}
