import { describe, expect, test } from 'vitest'
import { fixture, OPTIONS } from '../../test/support/session/kit.ts'
import { LIMITS } from './limits.ts'

describe('notes of a workload', () => {
  test('hold for the ttl since they were last planted, and not a moment longer', () => {
    const { sessions, pass } = fixture()
    sessions.note('w', ['host:tools.test'])
    const notes = sessions.notes('w')
    pass(OPTIONS.ttlMs)
    expect(notes.has('host:tools.test')).toBe(true)
    sessions.note('w', ['host:tools.test'])
    pass(OPTIONS.ttlMs)
    expect(notes.has('host:tools.test')).toBe(true)
    pass(1)
    expect(notes.has('host:tools.test')).toBe(false)
  })

  test('are of their workload only, and exactly what was planted', () => {
    const { sessions } = fixture()
    sessions.note('w', ['task:1'])
    expect(sessions.notes('w').has('task:1')).toBe(true)
    expect(sessions.notes('w').has('task:2')).toBe(false)
    expect(sessions.notes('v').has('task:1')).toBe(false)
  })

  test('are there with sessions switched off too: they are not about one', () => {
    const { sessions } = fixture({ enabled: false })
    sessions.note('w', ['host:tools.test'])
    expect(sessions.notes('w').has('host:tools.test')).toBe(true)
  })

  test('are bounded per workload: the one planted longest ago goes', () => {
    const { sessions } = fixture()
    sessions.note('v', ['mine'])
    sessions.note('w', ['first', 'kept'])
    for (let i = 0; i < LIMITS.notes - 2; i++) sessions.note('w', [String(i)])
    sessions.note('w', ['kept'])
    expect(sessions.notes('w').has('first')).toBe(true)
    sessions.note('w', ['one too many'])
    expect(sessions.notes('w').has('first')).toBe(false)
    expect(sessions.notes('w').has('kept')).toBe(true)
    expect(sessions.notes('v').has('mine')).toBe(true)
  })
})
