// A processor as a program of its own, so that it can be killed: it passes an answer on until `HOLD`, and keeps that and
// all behind it. `tsx holder.ts unix:/path`.
import { createExtProcServer } from '../../../src/extproc/server.ts'
import { NO_EDITS, recordingHandler, SILENT_LOG } from './handlers.ts'

const { open } = recordingHandler({
  answerHead: () => ({ kind: 'edit', edits: NO_EDITS }),
  editAnswer: (sink) => {
    let holding = false
    return {
      feed: (raw, last) => {
        const at = Buffer.from(raw).indexOf('HOLD')
        if (!holding) sink.write(at === -1 ? raw : raw.subarray(0, at))
        if (at !== -1) {
          holding = true
          console.log('holding')
        }
        if (last && !holding) sink.end()
      },
    }
  },
})
const server = createExtProcServer({
  open,
  listeners: [{ address: process.argv[2] ?? '' }],
  defaultWorkload: 'holder',
  log: SILENT_LOG,
})
await server.start()
console.log('ready')
