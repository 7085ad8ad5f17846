import { startFloor } from './stand-in.ts'

// The do-nothing server as a program of its own, so that its CPU can be measured: `tsx floor.ts unix:/path`.
const [address] = process.argv.slice(2)
if (address === undefined) throw new Error('Say where to listen.')
await startFloor(address)
console.log('listening')
