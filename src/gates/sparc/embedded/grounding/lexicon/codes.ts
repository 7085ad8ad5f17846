import { plainText } from '../text.ts'

/** Names of what a standard code stands for, and back; as this runtime knows them. */
const STATES = `
  AL Alabama;AK Alaska;AZ Arizona;AR Arkansas;CA California;CO Colorado;CT Connecticut;DE Delaware;FL Florida;GA Georgia
  ;HI Hawaii;ID Idaho;IL Illinois;IN Indiana;IA Iowa;KS Kansas;KY Kentucky;LA Louisiana;ME Maine;MD Maryland
  ;MA Massachusetts;MI Michigan;MN Minnesota;MS Mississippi;MO Missouri;MT Montana;NE Nebraska;NV Nevada
  ;NH New Hampshire;NJ New Jersey;NM New Mexico;NY New York;NC North Carolina;ND North Dakota;OH Ohio;OK Oklahoma
  ;OR Oregon;PA Pennsylvania;RI Rhode Island;SC South Carolina;SD South Dakota;TN Tennessee;TX Texas;UT Utah;VT Vermont
  ;VA Virginia;WA Washington;WV West Virginia;WI Wisconsin;WY Wyoming;DC District of Columbia
`
const EVERYDAY = `
  USD dollar;USD dollars;USD us dollar;USD us dollars;USD bucks;EUR euro;EUR euros;GBP pound;GBP pounds;GBP british pounds;
  GBP british pound;JPY yen;JPY japanese yen;CNY yuan;CNY rmb;INR rupee;INR rupees;CHF franc;CHF swiss francs;KRW won;
  AUD australian dollar;CAD canadian dollar;US usa;US united states of america;US america;US american;GB uk;GB britain;
  GB great britain;GB british;DE german;FR french;JP japanese;CN chinese;zh mandarin;zh-cn chinese;zh-cn mandarin;
  zh-cn simplified chinese;zh-tw traditional chinese
`

const names = new Map<string, Set<string>>()
const REGIONS = new Set<string>()

function pair(code: string, name: string): void {
  const [one, other] = [plainText(code), plainText(name)]
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const known = names.get(from) ?? new Set()
    known.add(to)
    names.set(from, known)
  }
}

function addRegion(code: string, name: string): void {
  REGIONS.add(plainText(code)).add(plainText(name))
}

for (const line of `${STATES};${EVERYDAY}`.split(';')) {
  const [code = '', ...name] = line.trim().split(/\s+/)
  if (code === '') continue
  pair(code, name.join(' '))
  if (/^[A-Z]{2}$/.test(code)) addRegion(code, name.join(' '))
}

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
for (const type of ['region', 'language'] as const) {
  const display = new Intl.DisplayNames('en', { type, fallback: 'none' })
  for (const a of LETTERS) {
    for (const b of LETTERS) {
      const code = type === 'region' ? a + b : `${a}${b}`.toLowerCase()
      const name = display.of(code)
      if (name === undefined) continue
      pair(code, name)
      if (type === 'region') addRegion(code, name)
    }
  }
}
const currencies = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' })
for (const code of Intl.supportedValuesOf('currency')) {
  const name = currencies.of(code)
  if (name === undefined) continue
  pair(code, name)
  pair(code, `${name}s`)
}

/** Other standard names of the same, in plain text. */
export function otherNamesOf(value: string): readonly string[] {
  return [...(names.get(plainText(value.trim())) ?? [])]
}

/** A country or a state, by its name or its code. */
export function isRegion(value: string): boolean {
  return REGIONS.has(plainText(value.trim()))
}

/** By its name alone, in plain text: codes are words too. */
export function isRegionName(text: string): boolean {
  return text.length > 3 && REGIONS.has(text)
}
