/**
 * Runs a task for whoever asks, never twice at once. Who asks while it runs gets a run that begins afterwards, shared
 * with all who ask until then: it sees what they have seen.
 */
export function oneAtATime<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const run = async (): Promise<T> => {
    if (running !== undefined) {
      return (next ??= running.then(again, again))
    }
    const mine = task().finally(() => {
      running = undefined
    })
    running = mine
    return mine
  }
  const again = (): Promise<T> => {
    next = undefined
    return run()
  }
  return run
}
