// Loaded into a processor before it starts: SIGUSR2 begins a profile, and the next one writes it down. So starting and
// warming up are not in it.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

const file = process.env.BENCH_PROFILE
if (file === undefined) throw new Error('BENCH_PROFILE is missing.')

let session

async function begin() {
  session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 500 })
  await session.post('Profiler.start')
}

async function write() {
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  session = undefined
  writeFileSync(file, JSON.stringify(profile))
}

process.on('SIGUSR2', () => void (session === undefined ? begin() : write()))
