const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Names of what a model writes itself. */
export const GENERATED = set(`
  body message messages content contents text title summary subject note notes memo comment comments description prompt
  prompts code sql query queries question questions instruction instructions reason reasons caption html markdown script
  command commands snippet details feedback review reply answer response template story poem paragraph sentence
  sentences expression equation formula function regex pattern keyword keywords topic topics purpose explanation
  remark remarks greeting bio data json xml yaml payload input label labels tag tags
`)

/** Names whose values stand for one thing, whatever they look like. */
export const STRICT = set(`
  id ids uid uuid guid key token password passcode pin iban bic swift account accounts phone telephone mobile fax
  email emails mail username userid sku isbn issn ssn vin imei
`)

/** Names whose values stand for one thing if they look like it. */
export const THINGS = set(`
  recipient recipients sender user handle login ticket invoice order transaction booking reservation tracking serial
  shipment reference ref url uri link path file filename attachment attachments bcc cc
  hash address ip host hostname domain repo repository branch commit
`)

/** Names that say it only together with another. */
export const WEAK = set('number num no nr code reference ref')

/** What is numbered: `order_number`, `account_no`. */
export const NUMBERED = set(`
  account phone telephone mobile fax card order invoice ticket tracking transaction booking confirmation reservation
  policy passport license licence customer member serial reference case claim contract employee flight routing vehicle
  registration tax social contact
`)

/** Names of what can be said in many ways, and is known from elsewhere. */
export const DESCRIBING = set(`
  type format version model algorithm encoding unit units currency language locale lang timezone zone tz size
  resolution color colour mode status state level category kind style theme grade rating range duration period frequency
  interval quarter season gene symbol ticker compound element isotope chemical reaction atom molecule note chord date time
  datetime day month year age value amount price
`)

/** Values that name nothing. */
export const NEUTRAL = set(`
  any all none default auto null undefined unknown n/a na other me self mine primary main current latest new root
  true false yes no on off
`)

/** Verbs of tools that make what they name. */
export const CREATING = set('create write save export generate add new make build upload append download')

/** Names of files and places, and what says that they are not there yet. */
export const FILES = set('file filename path dir directory folder')
export const NEW = set('output new save target destination dest')

export const EXTENSIONS = set(`
  pdf doc docx odt xls xlsx ods csv tsv txt md rst rtf json jsonl xml yaml yml toml ini cfg conf env html htm ppt pptx
  png jpg jpeg gif svg webp bmp tif tiff mp3 mp4 wav mov avi mkv zip tar gz tgz bz2 rar 7z py js ts tsx jsx java kt c h
  cpp cs go rs rb php sh bat sql db sqlite log bak tmp exe dll ipynb parquet epub ics eml vcf
`)

/** Values that stand for what its author had no value for. */
export const PLACEHOLDERS: readonly RegExp[] = [
  /^<[a-z][a-z _'-]{0,80}>$/i,
  /^\{\{?\s?[a-z][a-z _'-]{0,80}\}\}?$/i,
  /^\[[a-z][a-z _'-]{0,80}\]$/i,
  /^(?:your|insert|enter)[_-][a-z_-]{1,60}$/i,
  /@(?:example|email|domain|yourdomain)\.(?:com|org|net)$/i,
  /^(?:0?123456\d*|password123|changeme)$/i,
  /^x{3,}$/i,
  /^(?:tbd|todo|placeholder|unknown_id|dummy)$/i,
]

export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  [
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen',
    'eighteen nineteen twenty',
  ]
    .join(' ')
    .split(' ')
    .map((word, value) => [word, value] as const),
)
