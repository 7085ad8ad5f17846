const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Words that carry no meaning of their own. */
export const STOP = set(`
  a an the this that these those some any each every all both no not nor and or but if then else so because as of at by
  for from in into on onto off out over under up down to toward towards with without within about above below between
  through during before after since until while per via than too very just only also even still yet again once more most
  less least other another such same own few many much i me my mine myself we us our ours you your yours he him his she
  her hers it its they them their theirs who whom whose which what when where why how there here is am are was were be
  been being do does did done doing have has had having can could may might must shall should will would let lets please
  kindly thanks thank hi hello hey dear ok okay yes yeah well now want wants wanted need needs needed like likes would
  give gives tell show get gets got going go know make made help using use used based given provide following include
  including regarding s t d ll m re ve don doesn didn isn aren won couldn wouldn shouldn im id whats
`)

/** Verbs and nouns that every tool's name may have. */
export const GENERIC = set(`
  get set fetch find search list show display retrieve lookup look check query read view calculate compute compart
  determine evaluate estimate generate create make add update modify change edit delete remove run execute call perform
  process handle submit send post put return returns provide provides obtain request apply use function tool api service
  method data info information detail details result results value values object item items specific specified given
  particular certain based user users number type using input output parameter parameters
`)

export const NEUTRAL_VALUES = set(`
  any all none null undefined unknown default dontcare other others auto automatic n/a na unspecified both either
  everything
`)

export const NEGATIONS = set('no not without never exclude excluding except off disable skip dont avoid neither nor')

/** Verbs of tools that leave something behind, or reach somebody. */
export const WRITING = set(`
  create add send write post put update edit modify change set delete remove cancel schedule book reserve order buy
  purchase pay transfer share invite reply forward publish upload save submit register execute run move rename append
  assign approve grant deposit withdraw compose draft log record save make build generate insert subscribe message
  notify email call refund issue charge
`)
