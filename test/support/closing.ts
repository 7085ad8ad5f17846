/** Something that has to be closed, whatever happens in between. */
export interface Closable {
  close(): Promise<void>
}

/** Closes what was opened, last first; one that fails does not keep the others open. */
export class Closing implements Closable {
  readonly #opened: Closable[] = []

  add<T extends Closable>(opened: T): T {
    this.#opened.push(opened)
    return opened
  }

  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const opened of this.#opened.splice(0).reverse()) {
      try {
        await opened.close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed.')
  }
}

/** Opens several things; when one of them fails, those before it are closed again. */
export async function openedTogether<T>(open: (closing: Closing) => Promise<T>): Promise<T> {
  const closing = new Closing()
  try {
    return await open(closing)
  } catch (error) {
    await closing.close()
    throw error
  }
}
