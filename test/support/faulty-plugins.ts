import { strictObject } from '../../src/config/fields.ts'
import type { PluginType } from '../../src/config/plugin-type.ts'
import type { Exchange } from '../../src/core/exchange.ts'
import type { AnswerReader, Gate, Parser, Reading, ReadResult } from '../../src/core/plugin.ts'
import type { Ruling } from '../../src/core/ruling.ts'
import { plainRefusal } from '../../src/parsers/kit/refusal.ts'

/** Stands in whatever a plugin throws: nobody outside may see it. */
export const INSIDE = 'what-went-wrong-inside'

const RUN = { action: 'allow', reason: 'aligned' } as const
const ALLOW: Ruling = { allow: true, run: RUN }
const DENIED = { action: 'deny', reason: 'blocked' } as const
const NO = { code: 'test.no', status: 403, message: 'No.' }

/** What code says that the types forbid, as a plugin in plain JavaScript could. */
const nonsense = (value: unknown) => value as never

const noError = (): Error => nonsense(undefined)

function broken(): never {
  throw new Error(INSIDE)
}

/** Lets an answer go that nobody waits for any more. */
let letGo: (() => void) | undefined
export function answerLate(): void {
  letGo?.()
}

/** Every way in which a gate can fail to rule. The path of the request picks one. */
export const GATE_FAULTS = {
  throws: broken,
  rejects: async () => Promise.reject(new Error(INSIDE)),
  'rejects-with-nothing': async () => Promise.reject(noError()),
  'returns-undefined': () => nonsense(undefined),
  'resolves-undefined': async () => Promise.resolve(nonsense(undefined)),
  'resolves-null': async () => Promise.resolve(nonsense(null)),
  'resolves-true': async () => Promise.resolve(nonsense(true)),
  'allows-in-words': async () => Promise.resolve(nonsense({ allow: 'true', run: RUN })),
  'allows-without-a-run': async () => Promise.resolve(nonsense({ allow: true })),
  'refuses-without-a-rejection': async () => Promise.resolve(nonsense({ allow: false, run: DENIED })),
  'refuses-with-null': async () => Promise.resolve(nonsense({ allow: false, no: null, run: DENIED })),
  'never-settles': async () => new Promise<never>(() => undefined),
  'allows-after-the-deadline': async () =>
    new Promise<Ruling>((done) => {
      letGo = () => {
        done(ALLOW)
      }
    }),
} satisfies Record<string, () => Promise<Ruling>>

/** By what follows the prefix, up to the next slash. */
const pick = <T>(faults: Readonly<Record<string, T>>, prefix: string, x: Exchange): T | undefined =>
  x.request.path.startsWith(prefix) ? faults[x.request.path.slice(prefix.length).split('/')[0] ?? ''] : undefined

function createFaultyGate(): Gate {
  return {
    kind: 'gate',
    timeoutMs: 100,
    points: ['request'],
    failsOpen: false,
    exempt: (x) => {
      if (x.request.path === '/exempt/throws') broken()
      return x.request.path === '/exempt/returns-a-promise' ? nonsense(Promise.resolve(RUN)) : undefined
    },
    judge: (_action, x) => {
      if (x.request.path.startsWith('/exempt/') || x.request.path === '/deny') {
        return Promise.resolve({ allow: false, no: NO, run: DENIED })
      }
      const fault = pick(GATE_FAULTS, '/gate/', x)
      return fault === undefined ? Promise.resolve(ALLOW) : fault()
    },
  }
}

/** Looks at what a model proposes. */
function createFaultyProposalGate(failsOpen: boolean): Gate {
  return {
    kind: 'gate',
    timeoutMs: 100,
    points: ['completion'],
    failsOpen,
    exempt: () => undefined,
    judge: (_action, x) => {
      const fault = pick(GATE_FAULTS, '/gate/', x)
      return fault === undefined ? Promise.resolve(ALLOW) : fault()
    },
  }
}

const READING: Reading = {
  kind: 'read',
  actions: [{ kind: 'unclassified', effect: 'write', home: 'unstated' }],
  method: undefined,
  sure: true,
  hint: undefined,
  lessons: [],
  details: {},
  refuse: plainRefusal,
}

/** Every way in which a parser can fail to read a request. */
export const PARSER_FAULTS = {
  throws: broken,
  'returns-undefined': () => nonsense(undefined),
  'returns-a-promise': () => nonsense(Promise.resolve(READING)),
  'returns-no-actions': () => ({ ...READING, actions: nonsense([]) }),
  'returns-half-a-reading': () => nonsense({ kind: 'read' }),
  'is-unreadable-in-no-words': () => nonsense({ kind: 'unreadable' }),
} satisfies Record<string, () => ReadResult>

const READER: AnswerReader = { feed: () => [], end: () => ({ lessons: [], details: {} }) }

/** Every way in which it can fail to read an answer. */
export const READER_FAULTS = {
  'does-not-open': broken,
  'feed-throws': () => ({ ...READER, feed: broken }),
  'feed-returns-undefined': () => ({ ...READER, feed: () => nonsense(undefined) }),
  'end-throws': () => ({ ...READER, end: broken }),
  'end-returns-undefined': () => ({ ...READER, end: () => nonsense(undefined) }),
} satisfies Record<string, () => AnswerReader>

function createFaultyParser(): Parser {
  return {
    kind: 'parser',
    isHome: () => false,
    wantsExempt: (x) => (x.request.path === '/ground/throws' ? broken() : false),
    read: (x) => {
      if (x.request.path === '/deny') return { ...READING, refuse: broken }
      const fault = pick<() => ReadResult>(PARSER_FAULTS, '/parser/', x)
      return fault === undefined ? READING : fault()
    },
    readAnswer: (x) => pick<() => AnswerReader>(READER_FAULTS, '/reader/', x)?.(),
  }
}

const ofBothDirections = {
  directions: ['inbound', 'outbound'],
  schema: strictObject({}),
  requires: [],
  requiresAny: [],
  codes: {},
} as const

/** Plugins that work, except on the paths of their faults. */
export const FAULTY_TYPES: readonly PluginType[] = [
  { ...ofBothDirections, name: 'faulty-gate', kind: 'gate', create: createFaultyGate },
  { ...ofBothDirections, name: 'closed-proposal-gate', kind: 'gate', create: () => createFaultyProposalGate(false) },
  { ...ofBothDirections, name: 'open-proposal-gate', kind: 'gate', create: () => createFaultyProposalGate(true) },
  { ...ofBothDirections, name: 'faulty-parser', kind: 'parser', create: createFaultyParser },
]
