import { member } from '../../json/member.ts'
import { isObject } from '../../json/rpc.ts'
import { newRandom, shuffled, type Random } from '../random.ts'
import type { Gold } from './bfcl.ts'
import { alike, folded, newPresence, textOf } from './known.ts'
import type { Arguments, Kind, Trial } from './trial.ts'
import { classOf, garbled, optionsOf, otherNumber, otherDate, wronglyTyped, type ValueClass } from './values.ts'

/** A right call made wrong. */
interface Change {
  readonly tool?: string
  readonly args: Arguments
  readonly parameter?: string
}

interface Bench {
  readonly gold: Gold
  readonly donors: Donors
  readonly random: Random
  /** It stands in the conversation. */
  readonly present: (value: unknown) => boolean
}

type Mutation = (bench: Bench) => Change | undefined

const MUTATIONS: Readonly<Partial<Record<Kind, Mutation>>> = {
  unknown_tool: ({ gold, donors, random }) => {
    const tool = shuffled(donors.tools, random).find((name) => gold.tools.every((each) => each.name !== name))
    return { tool: tool ?? `${gold.spec.name}_v2`, args: gold.args }
  },
  unknown_param: ({ gold, donors, random }) => {
    const declared = Object.keys(parametersOf(gold))
    const found = shuffled(donors.values, random).find(({ name }) => !declared.includes(name))
    return found && { args: { ...gold.args, [found.name]: found.value }, parameter: found.name }
  },
  drop_required: ({ gold, random }) => {
    const parameter = random.pick(requiredOf(gold).filter((name) => name in gold.args))
    if (parameter === undefined) return undefined
    return { args: without(gold.args, parameter), parameter }
  },
  wrong_type: ({ gold, random }) => {
    const declared = parametersOf(gold)
    const typed = Object.keys(gold.args).filter((name) => typeof member(declared[name], 'type') === 'string')
    const parameter = random.pick(typed.filter((name) => member(declared[name], 'type') !== 'any'))
    return parameter === undefined ? undefined : replaced(gold, parameter, wronglyTyped(gold.args[parameter]))
  },
  swap_id: (bench) => swapped(bench, 'id'),
  swap_date: (bench) => swapped(bench, 'date'),
  swap_number: (bench) => swapped(bench, 'number'),
  swap_string: (bench) => swapped(bench, 'string'),
  swap_enum: (bench) => swapped(bench, 'enum'),
  swap_args: exchanged,
  invented_optional: invented,
}

/** Every kind of wrong call that can be made of a right one; the same ones for the same seed. */
export function mutationsOf(gold: Gold, donors: Donors, seed: string): readonly Trial[] {
  const text = gold.messages.map(({ content }) => content).join('\n')
  const present = newPresence(text)
  return Object.entries(MUTATIONS).flatMap(([kind, mutation]) => {
    const change = mutation({ gold, donors, present, random: newRandom(`${seed} ${gold.row} ${kind}`) })
    if (change === undefined) return []
    const { source, row, messages, tools, spec } = gold
    return [{ source, row, messages, tools, tool: spec.name, label: kind as Kind, ...change }]
  })
}

/** What rows lend each other. */
export interface Donors {
  readonly tools: readonly string[]
  readonly values: readonly { readonly row: string; readonly name: string; readonly value: unknown }[]
}

/** Each value once: a name that many rows share would else be lent to most of them. */
export function donorsOf(gold: readonly Gold[]): Donors {
  const values = gold.flatMap(({ row, args }) => Object.entries(args).map(([name, value]) => ({ row, name, value })))
  return {
    tools: gold.map(({ spec }) => spec.name),
    values: [...new Map(values.map((each) => [`${each.name} ${folded(textOf(each.value))}`, each])).values()],
  }
}

function parametersOf({ spec }: Gold): Readonly<Record<string, unknown>> {
  const properties = member(spec.parameters, 'properties')
  return isObject(properties) ? properties : {}
}

function requiredOf({ spec }: Gold): readonly string[] {
  const required = member(spec.parameters, 'required')
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function without(args: Arguments, parameter: string): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== parameter))
}

function replaced({ args }: Gold, parameter: string, value: unknown): Change {
  return { args: { ...args, [parameter]: value }, parameter }
}

/** One value of this class, alone or in a list, becomes a wrong one. */
function swapped(bench: Bench, wanted: ValueClass): Change | undefined {
  const { gold, random } = bench
  const declared = parametersOf(gold)
  for (const [parameter, value] of shuffled(Object.entries(gold.args), random)) {
    const schema = declared[parameter]
    const inList = Array.isArray(value)
    const place = inList ? random.below(value.length) : 0
    const items: readonly unknown[] = inList ? value : [value]
    const itemSchema = inList ? member(schema, 'items') : schema
    if (classOf(parameter, itemSchema, items[place]) !== wanted) continue
    const other = otherValue(bench, { parameter, schema: itemSchema, wanted, value: items[place], list: schema })
    if (other === undefined) continue
    return replaced(gold, parameter, inList ? items.with(place, other) : other)
  }
  return undefined
}

interface Wanted {
  readonly parameter: string
  readonly schema: unknown
  readonly wanted: ValueClass
  /** Undefined: any of the class. */
  readonly value: unknown
  /** Of the parameter, where the value is one of a list. */
  readonly list: unknown
}

const TRIES = 20

function otherValue(bench: Bench, want: Wanted): unknown {
  const { random } = bench
  for (const make of candidatesFor(bench, want)) {
    const other = make(random)
    if (other !== undefined && isWrong(bench, want, other)) return other
  }
  return undefined
}

type Make = (random: Random) => unknown

function candidatesFor({ donors, random, gold }: Bench, { parameter, schema, wanted, value }: Wanted): readonly Make[] {
  const again = (make: Make): readonly Make[] => Array.from({ length: TRIES }, () => make)
  const lent = (same: boolean) =>
    shuffled(donors.values, random)
      .filter((each) => each.row !== gold.row && (each.name === parameter) === same)
      .filter((each) => typeof each.value === 'string' && classOf(each.name, undefined, each.value) === wanted)
      .map(
        (each): Make =>
          () =>
            each.value,
      )
  switch (wanted) {
    case 'enum':
      return shuffled(optionsOf(schema) ?? [], random).map(
        (option): Make =>
          () =>
            option,
      )
    case 'number':
      return again((draw) => withinBounds(otherNumber(typeof value === 'number' ? value : 4, draw), schema))
    case 'date':
      return again((draw) => (typeof value === 'string' ? otherDate(value, draw) : '2031-05-07'))
    case 'id':
      if (typeof value === 'number') return again((draw) => Number(garbled(String(value), draw)))
      return typeof value === 'string' ? again((draw) => garbled(value, draw)) : lent(false)
    case 'string':
      return [...lent(true), ...lent(false)]
  }
}

function withinBounds(value: number, schema: unknown): number | undefined {
  const least = member(schema, 'minimum')
  const most = member(schema, 'maximum')
  if (typeof least === 'number' && value < least) return undefined
  return typeof most === 'number' && value > most ? undefined : value
}

/** Never one that is right, that is the default, or that somebody said. */
function isWrong({ gold, present }: Bench, { parameter, schema, list, value }: Wanted, other: unknown): boolean {
  if ((value !== undefined && alike(value, other)) || present(other)) return false
  const right = (gold.accepted[parameter] ?? []).flat()
  if (right.some((each) => alike(each, other))) return false
  return ![schema, list].some((each) => isDefault(each, other))
}

function isDefault(schema: unknown, value: unknown): boolean {
  if (alike(member(schema, 'default') ?? '', value)) return true
  const described = member(schema, 'description')
  if (typeof described !== 'string' || !/\bdefault/i.test(described)) return false
  return newPresence(described)(textOf(value))
}

/** Two values of one type, each in the other's place. */
function exchanged({ gold, random }: Bench): Change | undefined {
  const declared = parametersOf(gold)
  const entries = Object.entries(gold.args).filter(([, value]) => ['string', 'number'].includes(typeof value))
  const pairs = entries.flatMap(([a, one], at) =>
    entries.slice(at + 1).flatMap(([b, other]) => {
      const sameType = member(declared[a], 'type') === member(declared[b], 'type')
      const right = [
        ...(gold.accepted[a] ?? []).map((each) => [each, other]),
        ...(gold.accepted[b] ?? []).map((each) => [each, one]),
      ]
      if (!sameType || alike(one, other) || right.some(([each, moved]) => alike(each, moved))) return []
      const options = [optionsOf(declared[a]), optionsOf(declared[b])]
      return options.some((each) => each !== undefined) ? [] : [{ a, b, one, other }]
    }),
  )
  const pair = random.pick(pairs)
  if (pair === undefined) return undefined
  const { a, b, one, other } = pair
  return { args: { ...gold.args, [a]: other, [b]: one }, parameter: a }
}

/** A value for something that nobody spoke of. */
function invented(bench: Bench): Change | undefined {
  const { gold, random } = bench
  const required = requiredOf(gold)
  const optional = Object.entries(parametersOf(gold)).filter(
    ([name]) => !required.includes(name) && !(name in gold.args),
  )
  for (const [parameter, schema] of shuffled(optional, random)) {
    const wanted = optionsOf(schema) !== undefined ? 'enum' : CLASS_OF_TYPE[textOf(member(schema, 'type') ?? '')]
    if (wanted === undefined) continue
    const other = otherValue(bench, { parameter, schema, list: schema, wanted, value: undefined })
    if (other !== undefined) return replaced(gold, parameter, other)
  }
  return undefined
}

const CLASS_OF_TYPE: Readonly<Record<string, ValueClass>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  float: 'number',
}
