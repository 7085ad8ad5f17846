import { envoyBinary } from './envoy.ts'
import { startProgram } from './process.ts'

export interface PlayedDemo {
  readonly code: number | string
  readonly text: string
}

/** One of the demos, played as `npm run demo` plays it. */
export async function playDemo(...args: readonly string[]): Promise<PlayedDemo> {
  const env = { ...process.env, ENVOY_BIN: envoyBinary() }
  const program = startProgram(process.execPath, ['--import', 'tsx', 'demo/run.ts', ...args], env)
  const code = await program.ended
  return { code, text: [...program.stdout, ...program.stderr].join('\n') }
}

/** The lines of what was not as expected. */
export function failures({ text }: PlayedDemo): readonly string[] {
  return text.split('\n').filter((line) => line.includes('✘'))
}
