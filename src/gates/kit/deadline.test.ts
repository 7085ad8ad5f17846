import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDeadline } from './deadline.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const never = new AbortController().signal

test('it ends when its time is over', () => {
  const deadline = startDeadline(100, never)
  vi.advanceTimersByTime(99)
  expect(deadline.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(deadline.signal.aborted).toBe(true)
})

test('it ends with the outer signal', () => {
  const outer = new AbortController()
  const deadline = startDeadline(100, outer.signal)
  outer.abort()
  expect(deadline.signal.aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('it has ended where the outer signal had', () => {
  expect(startDeadline(100, AbortSignal.abort()).signal.aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('its end stops what runs under it, and leaves no timer', () => {
  const deadline = startDeadline(100, never)
  deadline.end()
  expect(deadline.signal.aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})
