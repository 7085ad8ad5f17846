import { type Problem, problemText } from '../config/problem.ts'

/** All at once, one line each. */
export function printProblems(file: string, problems: readonly Problem[]): void {
  for (const problem of problems) console.error(problemText(problem))
  console.error(`${file}: ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}`)
}
