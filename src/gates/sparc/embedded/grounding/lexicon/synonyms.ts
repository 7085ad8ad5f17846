import { stemOf } from '../stem.ts'

/** Words that stand for one another in requests; general English, a line each. */
const GROUPS = `
  find search look locate lookup seek discover
  show display list view present
  get fetch retrieve obtain give
  create make build generate produce add new compose
  delete remove erase cancel drop clear
  update change modify edit alter adjust
  send deliver dispatch transmit forward
  buy purchase order acquire
  book reserve schedule arrange
  pay transfer send remit
  calculate compute determine work figure evaluate
  estimate predict forecast project expect
  compare versus difference contrast
  convert translate exchange transform change
  weather forecast temperature rain climate sunny
  movie film cinema
  song music track tune
  play listen hear stream
  restaurant eat dine dinner food lunch meal cuisine
  hotel accommodation lodging stay room inn
  house home property residence apartment
  flight fly plane airline travel
  trip travel journey route ride
  route path directions way navigate
  distance far length long
  car vehicle auto automobile
  cab taxi ride
  doctor physician medical provider clinic
  dentist dental
  therapist psychologist counselor psychiatrist therapy
  event concert show gig
  ticket tickets admission seat
  price cost fee rate amount charge expensive cheap
  money cash fund dollar amount
  invest investment stock portfolio
  interest rate yield
  mortgage loan
  profit gain return earn
  company firm corporation business
  job position role career work
  employee worker staff
  person people individual name who
  date day when time
  place location where city area region
  city town
  country nation
  message text mail email
  call phone ring dial
  picture image photo
  video clip
  book novel
  author writer wrote written
  artist singer musician band painter
  actor cast star starring
  director directed
  game match
  team club squad
  player athlete
  score points result
  winner won win champion
  rank ranking standing top best
  latest recent newest last current new
  old age older aged
  big large size
  small tiny little
  fast speed velocity quick
  slow low
  high tall height
  weight mass heavy weigh
  area surface
  volume capacity loud
  size dimension width
  begin start initial first
  end finish final last stop
  count number many quantity amount
  total sum overall
  average mean
  square squared power exponent
  root solution zero
  probability chance odds likelihood
  random pick shuffle
  law legal court case lawsuit
  lawyer attorney
  crime criminal
  recipe cook ingredient dish
  health fitness exercise workout
  calories nutrition diet
  drug medicine medication prescription
  gene dna sequence protein
  animal species
  plant tree flower
  chemical molecule compound element
  electric electrical current charge
  war battle conflict
  president leader king ruler head
  history historical past
  news article headline
  review rating opinion
  school university college
  student pupil
  lesson course class
  word text string
  language spoken
  file document
  folder directory
  server host machine
  error fault bug
  turn switch toggle
  light lamp
  on enable enabled activate
  off disable disabled deactivate
  kid child children
  wife husband spouse married
  man male men
  woman female women
  gift present
  meeting appointment event calendar
  task todo reminder
  account profile
  password credential login
  balance funds
  bill invoice
  shipment package parcel delivery
  cart basket
  product item goods
`

const groupsOf = new Map<string, number[]>()
for (const [at, line] of GROUPS.trim().split('\n').entries()) {
  for (const word of line.trim().split(/\s+/)) {
    const stem = stemOf(word)
    const groups = groupsOf.get(stem) ?? []
    groups.push(at)
    groupsOf.set(stem, groups)
  }
}

const stemsOf: string[][] = []
for (const [stem, groups] of groupsOf) for (const at of groups) (stemsOf[at] ??= []).push(stem)

/** Stems of the words that may stand for a word of this stem, without itself. */
export function synonymsOf(stem: string): readonly string[] {
  return (groupsOf.get(stem) ?? []).flatMap((at) => (stemsOf[at] ?? []).filter((each) => each !== stem))
}
