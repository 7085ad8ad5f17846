import { isObject } from '../../json/rpc.ts'
import { listIn, textOf, type InferenceRequest, type JsonObject } from './dialect.ts'

/** Members that offer tools. */
const OFFERS = ['tools', 'functions']
/** Members by which the provider goes on with what it keeps. */
const STATE = ['previous_response_id', 'conversation']

/**
 * What the answer to a request may propose where nobody reads the answers of its dialect: nothing, if the request shows
 * all that the model gets and no tool is among it.
 */
export function proposalsTo(body: JsonObject): Pick<InferenceRequest, 'proposes'> {
  const showsAll = [...OFFERS, ...STATE].every((key) => isEmpty(body[key])) && !isObject(body['prompt'])
  return showsAll && listIn(body['input']).every(isPlain) ? {} : { proposes: 'unreadable' }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

const PLAIN = /^(message|((input|output)_)?(text|image|image_url|audio|video|file))$/

/** Words, tokens, pictures and messages. Other items bring tools along, or stand for what the provider keeps. */
function isPlain(item: unknown): boolean {
  return !isObject(item) || item['type'] === undefined || PLAIN.test(textOf(item['type']))
}
