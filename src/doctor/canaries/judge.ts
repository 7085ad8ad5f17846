import type { Direction } from '../../core/exchange.ts'
import type { ExchangeRecord } from '../../core/record.ts'
import { type Diagnosis, NOTHING, unchecked } from '../examine.ts'
import type { Finding } from '../finding.ts'
import type { Way } from './answers.ts'

/** What is known of one canary: the way its answer tells, and its record where records can be asked for. */
export interface Sent {
  readonly direction: Direction
  readonly way: Way
  /** Undefined where records cannot be asked for. */
  readonly records: readonly ExchangeRecord[] | undefined
}

const SPELL_OUT: Readonly<Record<Direction, string>> = { inbound: 'inbound canary', outbound: 'outbound canary' }

const finding = (id: Finding['id'], direction: Direction, wrong: string, lines: string): Finding => ({
  id,
  where: SPELL_OUT[direction],
  wrong,
  mend: { at: 'elsewhere', lines },
})

/** The canary that any parser of JSON-RPC refuses (outbound), or reads (inbound). */
export function judgeCanary(sent: Sent): Diagnosis {
  const { direction, way, records } = sent
  const findings = [...byWay(direction, way, records), ...(records === undefined ? [] : byRecord(sent, records))]
  return { ...NOTHING, findings, unchecked: unread(sent).unchecked }
}

function byWay(direction: Direction, way: Way, records: Sent['records']): readonly Finding[] {
  switch (way.kind) {
    case 'unanswered':
      return [
        finding(
          'canary_unanswered',
          direction,
          `no answer: ${way.why}`,
          `Is --${direction} the address of the listener, and does Envoy run?`,
        ),
      ]
    case 'no-verdict':
      return [
        finding(
          'canary_no_verdict',
          direction,
          `Envoy answered ${way.status} itself: it got no verdict (nothing passes, and nothing works)`,
          "Is Plumbline reachable from Envoy (cluster, socket, token, TLS)? Envoy's access log says why in %RESPONSE_CODE_DETAILS%.",
        ),
      ]
    case 'refused':
      return wrongSetUp(direction, way.code)
    case 'passed':
    case 'not-found':
      return direction === 'outbound' && records === undefined ? [passed(way)] : []
  }
}

/** Refusals that say that the filter is set up wrongly. */
function wrongSetUp(direction: Direction, code: string): readonly Finding[] {
  if (code === 'plumbline.wrong_mode') {
    const lines = 'processing_mode: { request_body_mode: BUFFERED, response_body_mode: BUFFERED }'
    return [
      {
        ...finding('canary_wrong_set_up', direction, `${code}: Envoy does not show bodies whole`, lines),
        mend: { at: 'filter', lines },
      },
    ]
  }
  if (code === 'plumbline.no_direction') {
    const lines = `grpc_service:\n  initial_metadata:\n    - { key: x-plumbline-direction, value: ${direction} }`
    return [
      {
        ...finding('canary_wrong_set_up', direction, `${code}: the filter does not say a direction`, lines),
        mend: { at: 'filter', lines },
      },
    ]
  }
  return []
}

function passed(way: Way): Finding {
  const answer = way.kind === 'passed' ? `${way.status} ${JSON.stringify(way.text)}` : '404'
  return finding(
    'canary_passed',
    'outbound',
    `a JSON-RPC batch to a host that does not exist was not refused: ${answer}`,
    'Is --outbound a listener with the filter? With --config and admin.token_file doctor can say whether Plumbline saw it.',
  )
}

function byRecord(sent: Sent, records: readonly ExchangeRecord[]): readonly Finding[] {
  const { direction, way } = sent
  if (way.kind === 'unanswered' || way.kind === 'no-verdict') return []
  const [record] = records
  if (record === undefined) return [unseen(direction, way)]
  const watched = direction === 'outbound' && way.kind !== 'refused' ? [policyLetPass(record)] : []
  return [...wrongDirection(direction, record), ...watched, ...unread(sent).findings]
}

function unseen(direction: Direction, way: Way): Finding {
  const wrong =
    way.kind === 'refused'
      ? 'it was refused, and the Plumbline that was asked has no record of it: another one answers behind this listener'
      : 'Plumbline has no record of it: what passes through this listener is not checked'
  const lines =
    way.kind === 'refused'
      ? 'Give the --config or --admin of the Plumbline that stands behind this listener.'
      : 'Put the filter on this listener: filter_missing and filter_disabled say where, given --envoy-admin.'
  return finding('canary_unseen', direction, wrong, lines)
}

function wrongDirection(direction: Direction, record: ExchangeRecord): readonly Finding[] {
  if (record.direction === direction) return []
  const lines = `grpc_service:\n  initial_metadata:\n    - { key: x-plumbline-direction, value: ${direction} }`
  return [
    {
      ...finding(
        'canary_direction',
        direction,
        `Plumbline took it for ${record.direction}: it meets the wrong chain`,
        lines,
      ),
      mend: { at: 'filter', lines },
    },
  ]
}

/** Said honestly: the way is right, and nothing on it would have stopped an attack of this kind. */
function policyLetPass(record: ExchangeRecord): Finding {
  const shadow = record.invocations.find((each) => each.shadow === true)
  const wrong =
    shadow === undefined
      ? 'Plumbline saw it and let it pass: no parser of the outbound chain claims JSON-RPC'
      : `Plumbline saw it and would have refused it (${shadow.plugin}: ${shadow.reason}), but the chain only observes`
  const lines =
    shadow === undefined
      ? 'Put mcp-parser into pipeline.outbound.plugins, if the agent speaks MCP.'
      : 'Set on_error: enforce when you have watched long enough.'
  return { ...finding('canary_watched', 'outbound', wrong, lines), mend: { at: 'plumbline', lines } }
}

/** Whether a parser read the body; where no plugin stands in the chain, nobody wanted to. */
function unread({ direction, way, records }: Sent): Pick<Diagnosis, 'findings' | 'unchecked'> {
  const record = records?.[0]
  const nobody = (why: string) => ({
    findings: [],
    unchecked: unchecked(['canary_unread'], `${SPELL_OUT[direction]}: ${why}`),
  })
  if (record === undefined) return nobody('it has no record')
  if (way.kind === 'refused' && way.code === 'plumbline.unreadable') return { findings: [], unchecked: [] }
  const asked = record.invocations.filter(({ plugin }) => plugin !== 'plumbline')
  if (asked.length === 0) return nobody('no plugin stands in this chain')
  if (asked.some(({ action }) => action !== 'skip')) return { findings: [], unchecked: [] }
  const reasons = asked.map(({ plugin, reason }) => `${plugin}: ${reason}`).join(', ')
  return {
    findings: [
      finding(
        'canary_unread',
        direction,
        `no plugin read it (${reasons})`,
        'Is the parser of the protocol in this chain, and are bodies shown (body_mode)?',
      ),
    ],
    unchecked: [],
  }
}

/** Larger than any buffer on its way should stop. */
export function judgeLarge(way: Way, bytes: number): Diagnosis {
  const size = `a body of ${bytes} bytes, just below listener.max_body_bytes`
  const tooLarge = (wrong: string): Diagnosis => ({
    ...NOTHING,
    findings: [
      {
        ...finding('canary_too_large', 'outbound', wrong, ''),
        mend: {
          at: 'listener',
          lines: `per_connection_buffer_limit_bytes: ${bytes} # at least; listener.max_body_bytes`,
        },
      },
    ],
  })
  switch (way.kind) {
    case 'refused':
      if (way.code === 'plumbline.unreadable') return NOTHING
      if (way.code === 'plumbline.too_large')
        return tooLarge(`${size} was too large for the running Plumbline: it has another limit`)
      return {
        ...NOTHING,
        unchecked: unchecked(['canary_too_large'], `it was refused for another reason, ${way.code}`),
      }
    case 'unanswered':
      if (way.cut) return tooLarge(`${size}, was cut off on its way`)
      return { ...NOTHING, unchecked: unchecked(['canary_too_large'], way.why) }
    case 'passed':
      if (way.status === 413) return tooLarge(`${size}, was answered 413 by Envoy`)
      return { ...NOTHING, unchecked: unchecked(['canary_too_large'], `it was answered ${way.status}`) }
    case 'no-verdict':
      return tooLarge(
        `${size}, got no verdict (${way.status}): listener.max_receive_bytes, message_timeout, or the memory of Envoy`,
      )
    case 'not-found':
      return { ...NOTHING, unchecked: unchecked(['canary_too_large'], 'it was answered 404') }
  }
}

/** The canary whose stream Plumbline ends with an error: nothing may have passed. */
export function judgeClosing(direction: Direction, way: Way): Diagnosis {
  const notMade = (why: string): Diagnosis => ({
    ...NOTHING,
    unchecked: unchecked(['closing_passes'], `${SPELL_OUT[direction]}: ${why}`),
  })
  switch (way.kind) {
    case 'no-verdict':
      return NOTHING
    case 'unanswered':
      return notMade(`no answer (${way.why})`)
    case 'refused':
      return notMade(
        `Plumbline refused it (${way.code}) in place of breaking the stream; a version before this one does`,
      )
    case 'not-found':
      return notMade(
        '404 without a word: no route leads from its host, or a server answered; give this listener a route for every host to have it checked',
      )
    case 'passed':
      return {
        ...NOTHING,
        findings: [
          {
            ...finding(
              'closing_passes',
              direction,
              `the stream to Plumbline broke before a verdict, and the request went on: ${way.status} ${JSON.stringify(way.text)}`,
              '',
            ),
            mend: { at: 'filter', lines: 'failure_mode_allow: false' },
          },
        ],
      }
  }
}
