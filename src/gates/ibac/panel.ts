import type { Candidate } from './intents.ts'
import type { Case, Judge } from './judge.ts'
import type { Denial } from './rulings.ts'
import type { Verdict } from './verdict.ts'

export interface Opinion {
  readonly candidate: Candidate
  readonly verdict: Verdict
}

export type Outcome =
  | { readonly allow: true; readonly opinion: Opinion }
  | { readonly allow: false; readonly denial: Denial; readonly opinion: Opinion | undefined }

/** Asks about all candidates at once. One allow allows, and is not kept waiting by the others. */
export async function askPanel(
  judge: Judge,
  question: Omit<Case, keyof Candidate>,
  candidates: readonly Candidate[],
  leftOut: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const pending = candidates.map(async (candidate): Promise<Opinion> => {
    return { candidate, verdict: await judge.weigh({ ...question, ...candidate }, signal) }
  })
  const allowing = await firstAllowing(pending)
  if (allowing !== undefined) return { allow: true, opinion: allowing }
  return refusal(await Promise.all(pending), leftOut)
}

async function firstAllowing(pending: readonly Promise<Opinion>[]): Promise<Opinion | undefined> {
  const allowing = pending.map(async (each) => {
    const opinion = await each
    if (opinion.verdict.kind !== 'allow') throw new Error('not allowed')
    return opinion
  })
  try {
    return await Promise.any(allowing)
  } catch {
    return undefined
  }
}

/** What would have to change for an allow, named in the order of how much is missing. */
function refusal(opinions: readonly Opinion[], leftOut: number): Outcome {
  const first = (kind: Verdict['kind']): Opinion | undefined => opinions.find(({ verdict }) => verdict.kind === kind)
  if (leftOut > 0) return { allow: false, denial: 'ambiguous_session', opinion: opinions[0] }
  const unavailable = first('unavailable')
  if (unavailable !== undefined) return { allow: false, denial: 'judge_unavailable', opinion: unavailable }
  const uncertain = first('uncertain')
  if (uncertain !== undefined) return { allow: false, denial: 'judge_uncertain', opinion: uncertain }
  return { allow: false, denial: 'blocked', opinion: opinions[0] }
}
