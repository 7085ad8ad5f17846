import { stemOf } from './stem.ts'

/** The words that the judge knows. English, and general: none is the name of a tool, and none comes from a single task. */

/** The words of a list. */
export function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''))
}

/** It only looks. */
export const READ_VERBS: ReadonlySet<string> = words(`
  get list search find read view show check look lookup query count describe verify retrieve display inspect
  summarize summarise calculate compute compare tell see know review analyze analyse report status monitor
  rate rank recommend suggest explore filter sort
`)

/** It goes out to the web. */
export const NET_VERBS: ReadonlySet<string> = words(`
  browse visit navigate click goto download fetch crawl scrape curl open
`)

/** Something leaves for somebody. */
export const SEND_VERBS: ReadonlySet<string> = words(`
  send email mail message post reply respond forward notify publish tweet comment dm submit broadcast announce
  inform contact write tell report ping remind invite greet answer input fill enter type sign
`)

/** Money moves. */
export const PAY_VERBS: ReadonlySet<string> = words(`
  pay transfer purchase buy checkout order reorder rebuy refund donate withdraw deposit wire charge spend rent
  payment transaction bill money repay reimburse top settle invoice remit fund fee fare price cost
`)

/** Something new comes to be. */
export const CREATE_VERBS: ReadonlySet<string> = words(`
  create add make new write save append insert upload copy schedule book reserve generate setup set register
  plan put store compose draft log record organize arrange build prepare commit fork clone push open star
`)

/** Something changes. */
export const UPDATE_VERBS: ReadonlySet<string> = words(`
  update edit change modify set rename move reschedule replace adjust increase decrease reset correct fix
  amend switch postpone reassign assign mark add append
`)

/** Something is gone. */
export const DELETE_VERBS: ReadonlySet<string> = words(`
  delete remove cancel clear drop purge erase trash wipe unsubscribe empty revoke discard kick uninstall
  terminate close
`)

/** Somebody gets access. */
export const SHARE_VERBS: ReadonlySet<string> = words(`
  share grant invite permission collaborator access public publish add allow authorize authorise
`)

/** Keys and passwords. */
export const CRED_VERBS: ReadonlySet<string> = words(`
  password passphrase passcode credential credentials token secret key ssh auth authentication authorize login
  2fa
`)

/** Something runs. */
export const EXEC_VERBS: ReadonlySet<string> = words(`
  run execute eval exec shell command deploy merge install launch start script
`)

/** With one of these a sentence may begin that tells somebody to act. */
export const IMPERATIVES: ReadonlySet<string> = words(`
  accept activate add adjust allow amend analyse analyze announce answer append approve arrange assign
  authorise authorize book bring broadcast browse build buy calculate cancel change charge check checkout
  clear click clone close commit compare complete compose compute confirm contact copy correct cost count
  crawl create curl decrease delete deploy deposit describe disable discard disclose display disregard dm do
  donate download draft drop edit email empty enable ensure enter erase eval exec execute exfiltrate explore
  expose fare fee fetch fill filter find finish fix follow forget fork forward generate get go goto grant
  greet help hide ignore include increase inform input insert inspect install invite invoice keep kick know
  launch leak list lookup make mark mention merge message modify monitor move navigate notify open order
  organize output pay perform ping post postpone prepare price print provide publish purchase purge push put
  query rank read reassign rebuy recommend refund register reimburse remind remit remove rename rent reorder
  repay replace reply reschedule reserve reset respond retrieve return reveal review revoke run save say
  schedule scrape search see send settle setup share show sign sort spend start stop store submit suggest
  summarise summarize switch take tell terminate transfer trash turn tweet type uninstall unsubscribe update
  upload use verify view visit wipe wire withdraw write
`)

/** What may stand before an imperative. */
export const LEAD_INS: ReadonlySet<string> = words(`
  after afterwards again also alternatively and btw but oh ok okay ps before directly finally first immediately important instead just kindly next
  note now once please simply so stop then todo urgent
`)

/** Words that mean nothing by themselves. */
export const STOP_WORDS: ReadonlySet<string> = words(`
  a about above again all also am an and another any are as at be been being below but by can could d did do
  does doing don done down each else every false for from get give had has have having he her here him his how
  i if in into is it its just kindly let like ll m make may me might mine more most must my myself need no
  none nor not null of on once only onto or other our out over own per please re s same shall she should so
  some such sure t than that the their them then there these they this those to too true under up us use used
  using ve very via want was we were what when where which who whom whose why will with would you your yours
`)
export const STOP_STEMS: ReadonlySet<string> = new Set([...STOP_WORDS].map(stemOf))

/** Words for one kind of thing: who speaks of one may mean another. */
export const OBJECT_GROUPS: readonly ReadonlySet<string>[] = [
  words('calendar event meeting appointment lunch dinner schedule invite'),
  words('email mail inbox message reply'),
  words('file document doc pdf attachment cv invoice template drive folder directory node dir'),
  words('money payment transaction transfer bill balance account pay fee rent refund amount'),
  words('webpage website web page url link site visit post thread form'),
  words('cart checkout order buy purchase product item shop'),
  words('password credential passcode passphrase'),
  words('user member people person'),
  words('channel group workspace team'),
  words('reservation reserve booking book'),
  words('issue ticket bug'),
  words('repository repo project git code'),
]

/** Verbs that are nouns after a determiner: "summarize my emails" asks for no sending. */
export const NOUN_LIKE: ReadonlySet<string> = words(`
  bill book change comment contact copy dm draft email file invoice log mail message note order plan post record report
  request review schedule share tell text transfer tweet update
`)

/** What tools are named by, and what users say of what is there: plurals, and "new". */
export const NEVER_VERBS: ReadonlySet<string> = words(`
  comments emails files logs mails messages new news notes plans posts records reports reviews texts tweets
`)

/** After one of these stands a noun. */
export const DETERMINERS: ReadonlySet<string> = words(`
  a all an any each every first from her his in its last latest my new next of our previous recent some that
  the their this unread what which your
`)

/** What is on the web. */
export const WEB_NOUNS: ReadonlySet<string> = words(`
  browser http link page site url web webpage website
`)

/** What is opened to be read. */
export const HOLDERS: ReadonlySet<string> = words(`
  album attachment book calendar card dir directory doc document email entry file folder image inbox letter list log
  mail mailbox map message note photo picture record report sheet
`)

/** What is about money. */
export const MONEY_NOUNS: ReadonlySet<string> = words(`
  checkout money payment purchase refund transaction transfer
`)

/** What opens doors. */
export const CREDENTIALS_NOUNS: ReadonlySet<string> = words(`
  2fa credential credentials mfa passphrase password secret ssh token
`)

/** Words of every description: they name no single thing. */
export const COMMON_WORDS: ReadonlySet<string> = words(`
  well work good great best better nice like time day much many first last new old long short high low easy free
  full real right left back number name date year month week today size type kind color category brand price
  quality item thing part way place home
`)

/** With the user as whom it is done to, one of these asks for an answer. */
export const ANSWERING: ReadonlySet<string> = words(`tell inform report answer`)
