import type { ReadResult } from '../core/plugin.ts'
import type { Rejection, Ruling, Run } from '../core/ruling.ts'

/*
 * What a plugin returned, looked at before it is believed: the types hold only what was compiled with them, and a
 * result of another shape is a plugin that failed, not a yes.
 */

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

export function isRun(value: unknown): value is Run {
  return isObject(value) && typeof value['action'] === 'string' && typeof value['reason'] === 'string'
}

export function isRuling(value: unknown): value is Ruling {
  if (!isObject(value) || !isRun(value['run'])) return false
  return value['allow'] === true || (value['allow'] === false && isRejection(value['no']))
}

function isRejection(value: unknown): value is Rejection {
  if (!isObject(value)) return false
  return (
    typeof value['code'] === 'string' && typeof value['status'] === 'number' && typeof value['message'] === 'string'
  )
}

export function isReadResult(value: unknown): value is ReadResult {
  if (!isObject(value)) return false
  switch (value['kind']) {
    case 'not-mine':
      return true
    case 'unreadable':
      return typeof value['code'] === 'string' && typeof value['why'] === 'string'
    case 'read':
      return isFilledList(value['actions']) && Array.isArray(value['lessons']) && typeof value['refuse'] === 'function'
    default:
      return false
  }
}

const isFilledList = (value: unknown): boolean => Array.isArray(value) && value.length > 0
