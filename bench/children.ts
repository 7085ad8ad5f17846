import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import type { Closable } from '../test/support/closing.ts'

/** A helper in a process of its own, so that its work does not disturb the others: asked and answering by messages. */
export interface Helper<Asked, Answer> extends Closable {
  ask(asked: Asked): Promise<Answer>
}

export function startHelper<Asked, Answer>(module: string): Helper<Asked, Answer> {
  const child = fork(new URL(module, import.meta.url), { serialization: 'advanced' })
  return {
    ask: (asked) =>
      new Promise<Answer>((done, fail) => {
        const ended = () => fail(new Error(`${module} ended.`))
        child.once('exit', ended)
        child.once('message', (answer) => {
          child.off('exit', ended)
          done(answer as Answer)
        })
        child.send(asked as object)
      }),
    close: () => endOf(child),
  }
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await ended
}

/** The other side: answers each message, one after the other. */
export function serveAsks<Asked, Answer>(answer: (asked: Asked) => Promise<Answer>): void {
  process.on('message', (asked) => {
    void answer(asked as Asked).then((said) => process.send?.(said))
  })
}
