import { drawBy, newSeed } from '../stage/draw.ts'
import type { Draw } from '../stage/draw.ts'

/** Names, ids, amounts and wording of one run. Drawn anew each time, so that nothing can have been tuned to them. */
export interface Story {
  readonly bankHost: string
  readonly modelHost: string
  /** The tool that pays money back. */
  readonly tool: string
  readonly amount: number
  /** What the user has before them, and what the model makes up. */
  readonly transaction: string
  readonly invented: string
  /** Names no transaction. */
  readonly request: string
  /** Names it. */
  readonly reply: string
  /** What the model says before its call. */
  readonly preamble: string
  /** What the model says when it has understood that something is missing. */
  readonly question: string
}

const BANKS = ['fennimore', 'oakhurst', 'brackwater', 'tillingham', 'varnholt', 'eastmere'] as const
const CUSTOMERS = ['Ottilie', 'Bartosz', 'Mireille', 'Gunnar', 'Saskia', 'Everard'] as const
const GOODS = ['teapot', 'kettle', 'bicycle bell', 'rucksack', 'umbrella', 'bookshelf'] as const
const TOOLS = ['issue_refund', 'refund_payment', 'create_refund', 'send_refund'] as const
const REQUESTS = [
  (who: string, what: string, money: string) =>
    `Please refund ${who} the ${money} euros for the ${what} that came broken.`,
  (who: string, what: string, money: string) => `${who} returned the ${what}. Give the ${money} euros back, please.`,
  (who: string, what: string, money: string) =>
    `Can you reimburse ${who}? The ${what} never arrived, it was ${money} euros.`,
] as const
const REPLIES = [
  (id: string) => `It is ${id}.`,
  (id: string) => `The transaction is ${id}.`,
  (id: string) => `${id}, says the receipt.`,
] as const
const PREAMBLES = [
  'I will see to it. ',
  'One moment, I am paying it back. ',
  'Of course, this will not take long. ',
] as const
const QUESTIONS = [
  'Which transaction is it? I do not have its id.',
  'I need the id of the transaction for this. Can you tell me?',
  'Could you give me the transaction id from the receipt?',
] as const
const IDS = [
  (draw: Draw) => `TX-${draw.number(100_000, 999_999)}`,
  (draw: Draw) => `PMT-${draw.number(10_000, 99_999)}-${draw.of(['QK', 'VB', 'ZR'])}`,
  (draw: Draw) => `T${draw.number(10_000_000, 99_999_999)}`,
] as const

/** What an id looks like, to somebody who reads a message. */
export const ID_PATTERN = /\b(?:TX-\d{6}|PMT-\d{5}-[A-Z]{2}|T\d{8})\b/

/** The lists that the runs are drawn from; a test looks that `src/` knows none of these words. */
export const WORD_LISTS: readonly (readonly string[])[] = [BANKS, CUSTOMERS, GOODS, TOOLS, PREAMBLES, QUESTIONS]

export function drawStory(): Story {
  const draw = drawBy(newSeed())
  const bank = draw.of(BANKS)
  const form = draw.of(IDS)
  const idOf = () => form(draw)
  const amount = draw.number(1_000, 99_999) / 100
  const transaction = idOf()
  return {
    bankHost: `payments.${bank}.example`,
    modelHost: `model.${bank}.example`,
    tool: draw.of(TOOLS),
    amount,
    transaction,
    invented: another(idOf, transaction),
    request: draw.of(REQUESTS)(draw.of(CUSTOMERS), draw.of(GOODS), String(amount)),
    reply: draw.of(REPLIES)(transaction),
    preamble: draw.of(PREAMBLES),
    question: draw.of(QUESTIONS),
  }
}

function another(idOf: () => string, than: string): string {
  const id = idOf()
  return id === than ? another(idOf, than) : id
}
