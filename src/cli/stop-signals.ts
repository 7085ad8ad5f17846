type OnSignal = (signal: NodeJS.Signals) => void

/** Signals that ask the process to end. */
export interface StopSignals {
  /** The exit code, once one comes before anybody is ready to hear it. */
  readonly early: Promise<number>
  /** From now on `hear` gets them. */
  handOver(hear: OnSignal): void
  close(): void
}

/** Heard from the first moment on: for the first process of a container the system does nothing by itself. */
export function hearStopSignals(): StopSignals {
  let hear: OnSignal = () => undefined
  const early = new Promise<number>((end) => {
    hear = (signal) => {
      console.error(`${signal} before it was ready: stopped`)
      end(0)
    }
  })
  const onSignal: OnSignal = (signal) => hear(signal)
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return {
    early,
    handOver: (next) => (hear = next),
    close: () => {
      process.off('SIGTERM', onSignal)
      process.off('SIGINT', onSignal)
    },
  }
}
