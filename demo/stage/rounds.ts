import type { Progress } from '../../src/cli/eval-progress.ts'
import { messageOf } from '../../src/core/message-of.ts'
import type { Played, Round } from './performance.ts'

export interface PlayedAct {
  readonly title: string
  readonly played: Played
}

/** Plays them one after the other; gives those in which something was not as it should be. */
export async function playRounds(
  rounds: readonly Round[],
  progress: Progress,
  tellWrong: (round: Round, acts: readonly PlayedAct[]) => void,
): Promise<readonly Round[]> {
  const wrong: Round[] = []
  for (const [at, round] of rounds.entries()) {
    progress.at(at, wrong.length === 0 ? '' : `${wrong.length} wrong`)
    const acts = await playRound(round)
    const failed = acts.filter(({ played }) => played.checks.some(({ held }) => !held))
    if (failed.length === 0) continue
    wrong.push(round)
    progress.end()
    tellWrong(round, failed)
  }
  progress.end()
  return wrong
}

/** What breaks off is no wrong outcome, but a stage that fell down: nothing after it would mean anything. */
async function playRound({ again = '', acts }: Round): Promise<readonly PlayedAct[]> {
  const done: PlayedAct[] = []
  for (const { title, play } of acts) {
    try {
      done.push({ title, played: await play() })
    } catch (error) {
      throw new Error(`The round of ${again} broke off in "${title}": ${messageOf(error)}`, { cause: error })
    }
  }
  return done
}

export function summaryOf(rounds: number, wrong: readonly Round[]): string {
  const good = rounds - wrong.length
  if (wrong.length === 0) return `${rounds} rounds: ${good} as they should be`
  return `${rounds} rounds: ${good} as they should be, ${wrong.length} not: ${wrong.map(({ again = '' }) => again).join(', ')}`
}
