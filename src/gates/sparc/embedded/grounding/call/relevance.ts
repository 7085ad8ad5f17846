import { member } from '../../../../../json/member.ts'
import { isObject } from '../../../../../json/rpc.ts'
import type { Tool } from '../../tool.ts'
import { shown } from '../../words.ts'
import type { Evidence } from '../evidence.ts'
import { nameWords, type Leaf } from '../leaves.ts'
import { synonymsOf } from '../lexicon/synonyms.ts'
import { GENERIC, STOP } from '../lexicon/words.ts'
import { stemOf } from '../stem.ts'
import { wordsIn } from '../text.ts'
import type { Finding } from './finding.ts'

const LEAST = 0.15

/** How far the tool is one for what the user asks for, from 0 to 1; undefined where words cannot tell. */
export function relevanceOf(tool: Tool, leaves: readonly Leaf[], evidence: Evidence): number | undefined {
  const { user, all, hasCalled } = evidence
  const last = user.at(-1)
  if (last === undefined || hasCalled || !evidence.isEnglish()) return undefined
  const words = wordsOf(tool)
  let request = contentStems(last.text.slice(-MOST_CHARACTERS))
  if (request.size < 3) request = contentStems(evidence.userText())
  const relevance = fit(words, tool, request, leaves).relevance
  if (relevance >= LEAST) return relevance
  const system = all
    .said()
    .filter(({ from }) => from === 'system')
    .map(({ text }) => text.slice(0, MOST_CHARACTERS))
    .join('\n')
  if (system.length <= 120) return relevance
  const wider = fit(words, tool, contentStems(`${system}\n${evidence.userText()}`), leaves)
  return wider.named >= 0.5 || wider.relevance >= 0.3 ? 0.3 : relevance
}

const MOST_CHARACTERS = 8000

export function relevanceFindings(relevance: number | undefined, tool: Tool): readonly Finding[] {
  if (relevance === undefined || relevance >= LEAST) return []
  return [
    {
      name: 'no_tool_fits',
      parameters: [],
      explanation: `${shown(tool.name)} does not seem to be for what the user asks for.`,
      question: `What should be done, if not ${shown(tool.name)}?`,
    },
  ]
}

interface ToolWords {
  /** Of its name, without what every tool's name has. */
  readonly name: ReadonlySet<string>
  readonly description: ReadonlySet<string>
  readonly parameters: ReadonlySet<string>
  readonly explained: ReadonlySet<string>
}

const kept = new WeakMap<Tool, ToolWords>()

function wordsOf(tool: Tool): ToolWords {
  const known = kept.get(tool)
  if (known !== undefined) return known
  const properties = member(tool.parameters, 'properties')
  const entries = isObject(properties) ? Object.entries(properties).slice(0, 200) : []
  const words = {
    name: core(nameWords(tool.name)),
    description: core(wordsIn(tool.description.slice(0, MOST_CHARACTERS))),
    parameters: core(entries.flatMap(([name]) => nameWords(name))),
    explained: core(entries.flatMap(([, schema]) => wordsIn(explanation(schema)))),
  }
  kept.set(tool, words)
  return words
}

function explanation(schema: unknown): string {
  const description = member(schema, 'description')
  const options = member(schema, 'enum')
  const listed = Array.isArray(options) ? options.slice(0, 50).join(' ') : ''
  return `${typeof description === 'string' ? description.slice(0, 1000) : ''} ${listed}`
}

function core(words: readonly string[]): ReadonlySet<string> {
  return new Set(
    words.filter((word) => !STOP.has(word) && !GENERIC.has(word) && word.length > 1 && !/^\d/.test(word)).map(stemOf),
  )
}

function contentStems(text: string): ReadonlySet<string> {
  return new Set(
    wordsIn(text)
      .filter((word) => !STOP.has(word) && !/^\d/.test(word) && word.length > 1)
      .map(stemOf),
  )
}

const SEARCHES = /(?<![a-z])(?:search|query|web|ask|execute|exec|run|shell|request|chat)(?![a-z])/

function fit(
  words: ToolWords,
  tool: Tool,
  request: ReadonlySet<string>,
  leaves: readonly Leaf[],
): { readonly relevance: number; readonly named: number } {
  const consumed = new Set(
    leaves.flatMap(({ value }) => (typeof value === 'string' && value.length < 60 ? wordsIn(value).map(stemOf) : [])),
  )
  const intent = [...request].filter((stem) => !consumed.has(stem) && !GENERIC_STEMS.has(stem))
  const named = mean(
    [...words.name].map((stem) => found(stem, request, 0.6)),
    0.5,
  )
  const meant = mean(
    intent.map((stem) => meaning(stem, words)),
    0.5,
  )
  const points = [...words.description].reduce((sum, stem) => sum + found(stem, request, 0.5), 0)
  const told = words.description.size === 0 ? 0 : points / Math.min(words.description.size, 8)
  let relevance = 0.45 * named + 0.35 * meant + 0.2 * Math.min(1, 1.5 * told)
  if (intent.length === 0) relevance = Math.max(relevance, 0.4)
  if (SEARCHES.test(nameWords(tool.name).join(' ')) && leaves.some(({ value }) => typeof value === 'string'))
    relevance = Math.max(relevance, 0.3)
  if ([...words.description].every((stem) => words.name.has(stem))) relevance = Math.max(relevance, 0.2)
  return { relevance, named }
}

const GENERIC_STEMS: ReadonlySet<string> = new Set([...GENERIC].map(stemOf))

/** Words of one beginning count too: "optimize" and "optimal". */
function found(stem: string, request: ReadonlySet<string>, asSynonym: number): number {
  if (request.has(stem)) return 1
  return synonymsOf(stem).some((each) => request.has(each)) ? asSynonym : 0
}

function meaning(stem: string, { name, description, parameters, explained }: ToolWords): number {
  if (name.has(stem) || description.has(stem) || parameters.has(stem)) return 1
  if (synonymsOf(stem).some((each) => name.has(each) || description.has(each) || parameters.has(each))) return 0.5
  return explained.has(stem) ? 0.4 : 0
}

function mean(values: readonly number[], none: number): number {
  return values.length === 0 ? none : values.reduce((sum, each) => sum + each, 0) / values.length
}
