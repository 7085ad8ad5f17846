/** Makes every later change of a value throw. Bytes cannot be frozen: compare them with a copy. */
export function deeplyFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value
  if (value instanceof Set) {
    const refuse = (): never => {
      throw new TypeError('this set is not to be changed')
    }
    Object.assign(value, { add: refuse, delete: refuse, clear: refuse })
  }
  Object.freeze(value)
  for (const member of Object.values(value)) deeplyFrozen(member)
  return value
}
