import { words } from './words.ts'

/** The smallest words of languages that are met most: German, Spanish, French, Italian, Portuguese, Dutch, Swedish, Polish, Danish. */
const FUNCTION_WORDS = words(`
  der die das und ist nicht ein eine einen mit für von auf dem den im zu bitte sie wir ich noch auch bei nach wird werden bevor
  el la los las y es un una por para con del al que se su antes favor este esta como más
  le les et est une des du pour avec dans sur au aux que qui vous nous ce cette avant veuillez merci plus
  il lo gli e di da per con del della dei nel che non prima si
  o os as e um uma do da dos das no na em para por com que não se antes
  de het een en van voor met op te dat deze dit bij niet wordt aan eerst
  och att det som på av för den med till är en ett inte innan
  i w na z do się nie jest dla oraz przed po
  og på til det som den med er ikke før
`)
const ENGLISH = words(`
  the of and to is are was were this that these those with for from by on at in it its you your we our be been have has had will
  would can not or but if as an i my me they their there which who what when do does did so all any please
`)
/** What is glued to another by a sign is part of an address: `a.com` says nothing in Portuguese. */
const WORD = /(?<![\p{L}\p{N}][@./_-]?)\p{L}+(?![@./_-]?[\p{L}\p{N}])/gu
const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Greek}\p{Script=Devanagari}\p{Script=Thai}]/gu
const FEWEST = 2
const FEWEST_SIGNS = 6
/** Whole words: who attends (`asistir`), an agency and work (`работа`) are no machines. */
const MACHINE =
  /(?<!\p{L})(?:asistentes?|assist[ae]nt(?:e|es|en|s|i)?|as[iy]stent(?:a|em|en|er|om|owi|s|u)?|agent(?:e|em|en|er|es|i|om|owi|s|u)?|ki|ia|bots?|(?:ассистент|агент|бот)\p{L}{0,3})(?!\p{L})|助手|智能体|机器人|アシスタント|エージェント|비서|에이전트/iu

/** Where text that cannot be read names a machine, it speaks to one. */
export function namesMachine(text: string): boolean {
  return MACHINE.test(text)
}

/** In another language than English, as far as its smallest words tell. */
export function isForeign(text: string): boolean {
  if ((text.match(OTHER_SCRIPT) ?? []).length >= FEWEST_SIGNS) return true
  let foreign = 0
  let english = 0
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    if (FUNCTION_WORDS.has(word)) foreign += 1
    if (ENGLISH.has(word)) english += 1
  }
  return foreign >= FEWEST && foreign > english
}
