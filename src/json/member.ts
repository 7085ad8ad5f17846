import { isObject } from './rpc.ts'

/** What an object has under this name itself; undefined where it has nothing, or is no object. */
export function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
