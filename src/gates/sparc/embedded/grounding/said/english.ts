import { wordsInOrder } from '../text.ts'

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Words that hardly another language has. */
const ENGLISH = set(`
  the of and for with that this it you my your be were have does can could would what how when where which who if from
  please will find get show give tell want need make calculate search send list check current between about latest near
  nearest upcoming next there their should using into today tomorrow happening know
`)
/** Words that others have too. */
const SHARED = set('a an to in is are on i me we our was has do at by as or not per no now last')

const LOOKED_AT = 60
const LEAST_WORDS = 1.5
const LEAST_SHARE = 0.12
const MOST_FOREIGN = 0.1

/** Whether our English words can say anything about a text (in lower case). */
export function isEnglish(plain: string): boolean {
  const start = plain.slice(0, 2000)
  const words = wordsInOrder(start).slice(0, LOOKED_AT)
  const certain = words.filter((word) => ENGLISH.has(word)).length
  const known = certain + words.filter((word) => SHARED.has(word)).length / 2
  const foreign = start.replace(/[\u0000-\u007f]/g, '').length
  return (
    certain > 0 && known >= LEAST_WORDS && known >= LEAST_SHARE * words.length && foreign < MOST_FOREIGN * start.length
  )
}
