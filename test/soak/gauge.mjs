// Loaded into the Plumbline that is measured, before it starts: answers on a socket how much memory it holds and how
// many timers wait. The socket keeps nothing alive, and nothing of Plumbline knows of it.
import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const path = process.env.GAUGE_SOCKET
if (path === undefined) throw new Error('GAUGE_SOCKET is missing.')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

createServer((_request, response) => {
  // What was freed by the first may hold what only the next can free.
  collect()
  collect()
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  response.end(JSON.stringify({ heapBytes: process.memoryUsage().heapUsed, timers }))
})
  .listen(path)
  .unref()
