const PARSER = 'mcp-parser'
const outbound = (...plugins: readonly unknown[]) => ({ pipeline: { outbound: { plugins } } })
const ibac = (config: object) => outbound(PARSER, { name: 'ibac', config: { judge: 'embedded', ...config } })
const sparc = (config: object) => outbound(PARSER, { name: 'sparc', config: { reflector: 'embedded', ...config } })
const listener = (options: object) => ({ pipeline: {}, listener: options })

interface OnlyCode {
  readonly why: string
  /** The messages of the checks. */
  readonly says: RegExp
  /** The schema takes them, the checks do not. */
  readonly examples: readonly object[]
}

/** What a JSON Schema cannot say, or could only say so that nobody would read it. */
export const ONLY_CODE: readonly OnlyCode[] = [
  {
    why: 'two options exclude each other',
    says: /must not stand beside|must differ from/,
    examples: [
      listener({ ext_proc_addr: 'unix:/a', inbound_addr: 'unix:/b' }),
      listener({ inbound_addr: 'h:1', outbound_addr: 'h:1' }),
    ],
  },
  {
    why: 'one number has to be larger than another',
    says: /must be larger than max_body_bytes|must be at least max_receive_bytes/,
    examples: [listener({ max_receive_bytes: 65_536 }), listener({ max_bodies_bytes: 65_536 })],
  },
  {
    why: 'an option is required by the value of another, which may be a default or a variable',
    says: /is required with (judge: llm|reflector: http), and empty/,
    examples: [ibac({ judge: 'llm' }), sparc({ reflector: 'http' })],
  },
  {
    why: 'a value does not go with that of another option',
    says: /needs a language model/,
    examples: [sparc({ track: 'fast_track' })],
  },
  {
    why: 'one plugin needs another',
    says: / needs .* in the same chain/,
    examples: [outbound({ name: 'ibac', config: { judge: 'embedded' } }), sparc({ enforcement: 'inference' })],
  },
  {
    why: 'an id is taken',
    says: /is taken in this chain/,
    examples: [outbound(PARSER, PARSER)],
  },
  {
    why: 'a time with a unit is out of range',
    says: /must be a time from .*, is the text "\d+(\.\d+)?(ms|s|m|h|d)?"/,
    examples: [{ pipeline: {}, session: { ttl: '31d' } }],
  },
  {
    why: 'a path has too many bytes, which are not its characters',
    says: /must be shorter than 100 bytes/,
    examples: [listener({ ext_proc_addr: `unix:/${'ä'.repeat(60)}` })],
  },
  {
    why: 'a glob is blank, matches nearly everything, or has a set that is not closed',
    says: /^is blank|matches nearly everything|has a "\[" without its "\]"/,
    examples: [ibac({ bypass_hosts: [' '] }), ibac({ bypass_hosts: ['*'] }), sparc({ skip_tools: ['[a'] })],
  },
  {
    why: 'a URL cannot be read, or has parts that it must not have',
    says: /^is no URL|must not hold a password|must have no query|must not end in/,
    examples: [
      ibac({ judge_endpoint: 'http://' }),
      ibac({ judge_endpoint: 'http://u:p@h' }),
      ibac({ judge_endpoint: 'http://h?q' }),
      ibac({ judge_endpoint: 'http://h/v1' }),
    ],
  },
  {
    why: 'a host is none',
    says: /must be one host/,
    examples: [ibac({ agent_llm_host: 'http://h' })],
  },
  {
    why: 'a variable is malformed, not set, or holds something else',
    says: /is no substitution|comes from/,
    examples: [{ pipeline: {}, listener: { workload: '${1}' } }, listener({ max_streams: '${STREAMS}' })],
  },
  {
    why: 'a key has a meaning to JavaScript',
    says: /a key must be a name/,
    examples: [ibac({ judge_extra: JSON.parse('{"__proto__":1}') as object })],
  },
]

/** Documents of which schema and checks say the same: whether they are right. */
export const LONE: readonly (readonly [document: unknown, taken: boolean])[] = [
  [{ pipeline: {} }, true],
  [{ pipeline: null, listener: null }, true],
  [{}, false],
  [[], false],
  ['text', false],
  [{ pipeline: {}, pipelin: {} }, false],
  [outbound(PARSER, { name: 'a2a-parser' }), true],
  [outbound(PARSER, { name: 'a2a-parser', config: null }), true],
  [outbound({ name: PARSER, confg: {} }), false],
  [outbound({ config: {} }), false],
  [outbound({ name: PARSER, config: { judge: 'embedded' } }), false],
  [outbound({ name: 'inference-parser', config: { paths: [] } }), false],
  [outbound('jwt-validation'), false],
  [outbound({ name: 'jwt-validation' }), false],
  [{ pipeline: { inbound: { plugins: ['a2a-parser', PARSER] } } }, true],
  [{ pipeline: { inbound: { plugins: ['ibac'] } } }, false],
  [{ pipeline: { inbound: { plugins: [{ name: 'inference-parser' }] } } }, false],
]
