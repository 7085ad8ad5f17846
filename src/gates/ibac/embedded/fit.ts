import { isObject } from '../../../json/rpc.ts'
import { nameWords } from './effects.ts'
import { indexOfTool, type Tool } from './spec.ts'
import { stemOf, stemsOf } from './stem.ts'
import type { UserFacts } from './user.ts'
import { STOP_STEMS } from './words.ts'

/** What a tool may be spoken of by: its stems, and how much each says of it. */
type Words = ReadonlyMap<string, number>

const NAME = 2
const DESCRIPTION = 1
const PARAMETER = 0.5
/** The beginning says what it is for. */
const DESCRIPTION_CHARACTERS = 300
const MOST_TOOLS = 256

/**
 * How much the user spoke of what this tool is for, beside the other tools that the agent had: 0 not at all, 1 of no other
 * more. A word that stands in many of the tools says little. Undefined: the tool is not known, or the user spoke of none.
 */
export function fitOf(tool: string, tools: readonly Tool[], user: UserFacts): number | undefined {
  const known = toolBox(tools)
  if (known === undefined) return undefined
  let fits = known.fits.get(user)
  if (fits === undefined) known.fits.set(user, (fits = fitsOf(known, user)))
  return fits[indexOfTool(tool, known.tools)]
}

interface ToolBox {
  readonly tools: readonly Tool[]
  readonly words: readonly Words[]
  /** In how many tools a stem stands. */
  readonly spread: ReadonlyMap<string, number>
  readonly fits: WeakMap<UserFacts, readonly (number | undefined)[]>
}

const boxes = new WeakMap<object, ToolBox>()

/** An agent shows the same tools with each question: they are read once. */
function toolBox(shown: readonly Tool[]): ToolBox | undefined {
  const tools = shown.slice(0, MOST_TOOLS)
  const [first] = tools
  if (first === undefined) return undefined
  let box = boxes.get(first)
  if (box === undefined || !isSame(box.tools, tools)) boxes.set(first, (box = read(tools)))
  return box
}

function isSame(some: readonly Tool[], others: readonly Tool[]): boolean {
  return some.length === others.length && some.every((tool, at) => tool === others[at])
}

function read(tools: readonly Tool[]): ToolBox {
  const words = tools.map(wordsOfTool)
  const spread = new Map<string, number>()
  for (const stem of words.flatMap((each) => [...each.keys()])) spread.set(stem, (spread.get(stem) ?? 0) + 1)
  return { tools, words, spread, fits: new WeakMap() }
}

function wordsOfTool({ name, description, parameters }: Tool): Words {
  const said = typeof description === 'string' ? description.slice(0, DESCRIPTION_CHARACTERS) : ''
  const words = new Map<string, number>()
  const add = (stems: readonly string[], weight: number) => {
    for (const stem of stems) if (!words.has(stem) && !STOP_STEMS.has(stem)) words.set(stem, weight)
  }
  add(nameWords(name).map(stemOf), NAME)
  add(stemsOf(said), DESCRIPTION)
  add(wordsOfParameters(parameters).map(stemOf), PARAMETER)
  return words
}

const MOST_WORDS = 200

/** What they are called, and what may be chosen. */
function wordsOfParameters(parameters: unknown): readonly string[] {
  const properties = isObject(parameters) && isObject(parameters['properties']) ? parameters['properties'] : {}
  const texts = Object.entries(properties).flatMap(([name, form]) => {
    const choices = isObject(form) && Array.isArray(form['enum']) ? (form['enum'] as unknown[]) : []
    return [name, ...choices.filter((choice) => typeof choice === 'string')]
  })
  return texts.flatMap(nameWords).slice(0, MOST_WORDS)
}

function fitsOf({ words, spread }: ToolBox, user: UserFacts): readonly (number | undefined)[] {
  const met = words.map((each) => {
    let sum = 0
    for (const [stem, weight] of each) {
      if (user.wide.has(stem)) sum += weight * Math.log((words.length + 1) / ((spread.get(stem) ?? 0) + 0.5))
    }
    return sum
  })
  const most = Math.max(...met)
  return met.map((sum) => (most > 0 ? sum / most : undefined))
}
