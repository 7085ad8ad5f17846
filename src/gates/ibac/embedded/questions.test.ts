import { expect, test } from 'vitest'
import { userFacts } from './user.ts'

test.each([
  ['What did Bob write about the audit?', []],
  ['Who sent me the invoice? Two sentences will do.', []],
  ['How much did we pay last month?', []],
  ['Did we delete the draft?', []],
  ['Which photos were shared, and send them to Ann.', ['send']],
  ['What is the date of the fair? Please create a meeting.', ['create']],
  ['How about we delete the draft', ['delete']],
  ['Write to Bob.', ['send', 'create']],
  ['What is new about the tender?', []],
])('%s', (text, asked) => {
  const writes = [...userFacts(text).asks].filter((name) => name !== 'read' && name !== 'net')
  expect(writes.sort()).toEqual([...asked].sort())
})
