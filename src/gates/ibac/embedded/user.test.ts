import { describe, expect, test } from 'vitest'
import { effectOf, nameWords } from './effects.ts'
import { stemOf } from './stem.ts'
import { userFacts } from './user.ts'

describe('the effect of a tool', () => {
  test.each<[string, string, string]>([
    ['get_mail', '', 'read'],
    ['getWebPage', '', 'net'],
    ['browse', '', 'net'],
    ['send_message', '', 'send'],
    ['transferMoney', '', 'pay'],
    ['delete-note', '', 'delete'],
    ['calendar.create', '', 'create'],
    ['rename_note', '', 'update'],
    ['share_note', '', 'share'],
    ['update_password', '', 'cred'],
    ['user_login', '', 'login'],
    ['run_script', '', 'exec'],
    ['cart_total_payment', '', 'read'],
    ['make_payment', '', 'pay'],
    ['frob', 'Deletes all rows at once', 'delete'],
    ['frob', 'Publishes it', 'send'],
    ['review_change', 'Submits a review', 'send'],
    ['review_list', '', 'read'],
    ['ticket_write', '', 'write'],
    ['mail_search', '', 'read'],
    ['open_file', '', 'read'],
    ['open_page', '', 'net'],
    ['open_ticket', '', 'create'],
    ['update_contact', '', 'update'],
    ['contact_search', '', 'read'],
    ['order.create', '', 'create'],
    ['transfer_money', '', 'pay'],
    ['frob', 'Will delete all rows', 'delete'],
    ['frob', '', 'write'],
  ])('%s: %s', (tool, description, expected) => {
    expect(effectOf(nameWords(tool), description)).toBe(expected)
  })
})

describe('what a user asks for', () => {
  test.each<[string, readonly string[]]>([
    ['Summarize my emails', []],
    ['What is new in my inbox?', []],
    ['Read my mail and tell me what matters', []],
    ['Tell Ann what matters', ['send']],
    ['Email Ann', ['send']],
    ['Reply to Ann and remove the old note', ['send', 'delete']],
    ['Let Ann know that I am late', ['send']],
    ['Give Ann full access', ['share']],
    ['Get rid of it', ['delete']],
    ['Send 20 USD to Ann', ['send', 'pay']],
    ['Turn the alarm off', ['update']],
  ])('%s', (text, expected) => {
    const { asks, readsOnly } = userFacts(text)
    expect([...asks]).toEqual(expect.arrayContaining([...expected]))
    expect(readsOnly).toBe(expected.length === 0)
  })

  test.each<[string, object]>([
    ['Do the tasks on my list', { delegates: true, delegatesOpenly: true }],
    ['Look at the issue and try to address it', { delegates: true, delegatesOpenly: true }],
    ['Do the following tasks: 1. Write to Ann. 2. Read my mail.', { delegates: false, delegatesOpenly: false }],
    ['Do the following tasks in the order they are given: 1. Write.', { delegates: false, delegatesOpenly: false }],
    ['Do the following tasks from my list', { delegates: true, delegatesOpenly: true }],
    ['Pay the bill', { delegates: true, delegatesOpenly: false }],
    ['Invite Ann; the details are in the message from Bob', { delegates: false, delegatesValues: true }],
    ['Go through my e-mails and list the main points.', { readsOnly: true }],
    ['Catch me up on what I missed', { readsOnly: true }],
    ['Nudge everybody who has not answered', { readsOnly: false }],
    ['Same hotel as last time, please', { readsOnly: false }],
    ['Write to Ann', { delegates: false, delegatesOpenly: false, delegatesValues: false }],
  ])('%s: %o', (text, expected) => {
    expect(userFacts(text)).toMatchObject(expected)
  })

  test('is what means something by itself, and all words of its kind', () => {
    const { rare, wide } = userFacts('Please read the quarterly email')
    expect([...rare]).toEqual(['quarter'])
    expect(wide.has('inbox') && wide.has('email') && !wide.has('calendar')).toBe(true)
  })
})

test.each([
  ['emails', 'email'],
  ['shipping', 'ship'],
  ['notified', 'notify'],
  ['reservations', 'reserv'],
  ['files', 'fil'],
  ['file', 'fil'],
  ['as', 'as'],
])('the stem of %s is %s', (word, stem) => {
  expect(stemOf(word)).toBe(stem)
})
