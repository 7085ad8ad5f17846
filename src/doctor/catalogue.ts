/** What a check has to have been given: an option of the command line, and that something answered there. */
export type Input = 'envoy' | 'envoyAdmin' | 'config' | 'running' | 'exchanges' | 'outbound' | 'inbound' | 'canary'

export type Severity = 'error' | 'warning' | 'info'

export type Group = 'attachment' | 'processing' | 'speaker' | 'link' | 'edges' | 'plumbline' | 'canaries'

export interface CheckFacts {
  readonly group: Group
  /** Of what it finds. */
  readonly severity: Severity
  /** What is true when it finds nothing. */
  readonly fine: string
  /** Without one of these it is not looked at. */
  readonly needs: readonly Input[]
}

/** Every check that there is. `docs/operate/doctor.md` has a line for each, and a test holds the two together. */
export const CHECKS = {
  filter_missing: {
    group: 'attachment',
    severity: 'error',
    fine: 'every HTTP listener has the filter',
    needs: ['envoy'],
  },
  filter_disabled: { group: 'attachment', severity: 'error', fine: 'no route switches it off', needs: ['envoy'] },
  filter_conditional: {
    group: 'attachment',
    severity: 'warning',
    fine: 'it does not depend on the request whether it runs',
    needs: ['envoy'],
  },
  filter_late: {
    group: 'attachment',
    severity: 'error',
    fine: 'it judges before a name is looked up',
    needs: ['envoy'],
  },
  tcp_unseen: { group: 'attachment', severity: 'warning', fine: 'nothing passes as plain TCP', needs: ['envoy'] },
  upgrade_unseen: {
    group: 'attachment',
    severity: 'error',
    fine: 'no upgrade has a filter chain without it',
    needs: ['envoy'],
  },
  upgrade_refused: { group: 'attachment', severity: 'info', fine: 'no upgrade is offered', needs: ['envoy'] },
  connect_open: { group: 'attachment', severity: 'warning', fine: 'no tunnel leads outside', needs: ['envoy'] },

  fail_open: { group: 'processing', severity: 'error', fine: 'without a verdict nothing passes', needs: ['envoy'] },
  observes_only: { group: 'processing', severity: 'error', fine: 'Envoy waits for the verdict', needs: ['envoy'] },
  body_mode: { group: 'processing', severity: 'error', fine: 'both bodies are shown whole', needs: ['envoy'] },
  head_mode: { group: 'processing', severity: 'error', fine: 'headers and trailers are shown', needs: ['envoy'] },
  headers_hidden: { group: 'processing', severity: 'warning', fine: 'no header is left out', needs: ['envoy'] },
  body_early: { group: 'processing', severity: 'error', fine: 'a body waits for its head', needs: ['envoy'] },
  override_refused: {
    group: 'processing',
    severity: 'error',
    fine: 'the modes that Plumbline asks for are allowed',
    needs: ['envoy'],
  },
  refusal_disabled: { group: 'processing', severity: 'error', fine: 'Plumbline may answer itself', needs: ['envoy'] },
  mutation_lenient: {
    group: 'processing',
    severity: 'warning',
    fine: 'a header edit that Envoy will not make is an error',
    needs: ['envoy'],
  },
  route_cache: { group: 'processing', severity: 'info', fine: 'a reply does not choose the route', needs: ['envoy'] },
  timeout_short: {
    group: 'processing',
    severity: 'error',
    fine: 'Envoy waits as long as a verdict may take',
    needs: ['envoy', 'config'],
  },
  buffer_small: {
    group: 'processing',
    severity: 'error',
    fine: 'a body of listener.max_body_bytes fits',
    needs: ['envoy', 'config'],
  },

  direction_missing: { group: 'speaker', severity: 'error', fine: 'each filter says its direction', needs: ['envoy'] },
  direction_wrong: { group: 'speaker', severity: 'error', fine: 'it says the right one', needs: ['envoy'] },
  direction_same: { group: 'speaker', severity: 'warning', fine: 'both directions are there', needs: ['envoy'] },
  metadata_from_request: {
    group: 'speaker',
    severity: 'error',
    fine: 'who speaks is not taken from the request',
    needs: ['envoy'],
  },
  routing_claim: {
    group: 'speaker',
    severity: 'error',
    fine: 'where "routing: host" is claimed, Host decides',
    needs: ['envoy'],
  },
  token_missing: {
    group: 'speaker',
    severity: 'error',
    fine: 'no port is open to whoever reaches it',
    needs: ['envoy', 'config'],
  },
  token_unsent: { group: 'speaker', severity: 'error', fine: 'the token is sent', needs: ['envoy', 'config'] },

  envoy_unanswered: { group: 'link', severity: 'error', fine: "Envoy's admin answers", needs: ['envoyAdmin'] },
  envoy_old: { group: 'link', severity: 'error', fine: 'Envoy is 1.36 or newer', needs: ['envoyAdmin'] },
  reset_flood: { group: 'link', severity: 'error', fine: 'resets do not cost connections', needs: ['envoy'] },
  cluster_unusable: {
    group: 'link',
    severity: 'error',
    fine: 'the cluster is there, and speaks HTTP/2',
    needs: ['envoy'],
  },
  streams_differ: {
    group: 'link',
    severity: 'info',
    fine: 'Envoy and Plumbline take as many streams',
    needs: ['envoy', 'config'],
  },
  passed_unjudged: {
    group: 'link',
    severity: 'error',
    fine: 'Envoy has let nothing pass for want of a verdict',
    needs: ['envoyAdmin'],
  },
  exchanges_lost: {
    group: 'link',
    severity: 'info',
    fine: 'Envoy has not waited in vain nor lost a connection',
    needs: ['envoyAdmin'],
  },

  paths_unlike: {
    group: 'edges',
    severity: 'warning',
    fine: 'what is judged is what the server understands',
    needs: ['envoy'],
  },
  retries: { group: 'edges', severity: 'warning', fine: 'what was judged once is sent once', needs: ['envoy'] },
  reply_rewritten: { group: 'edges', severity: 'warning', fine: 'our refusals go out as they are', needs: ['envoy'] },
  envoy_admin_open: {
    group: 'edges',
    severity: 'error',
    fine: "Envoy's admin does not listen on the network",
    needs: ['envoy'],
  },
  hot_restart: {
    group: 'edges',
    severity: 'warning',
    fine: 'Envoy gives its listening sockets to nobody',
    needs: ['envoyAdmin'],
  },

  plumbline_unready: { group: 'plumbline', severity: 'error', fine: 'it runs and is ready', needs: ['running'] },
  reload_refused: {
    group: 'plumbline',
    severity: 'warning',
    fine: 'the last configuration file was taken',
    needs: ['running'],
  },
  config_stale: {
    group: 'plumbline',
    severity: 'warning',
    fine: 'the file that was given is the one that is in force',
    needs: ['running', 'config'],
  },
  settings_open: {
    group: 'plumbline',
    severity: 'info',
    fine: 'no setting lets something pass unchecked',
    needs: ['running'],
  },
  settings_warned: {
    group: 'plumbline',
    severity: 'info',
    fine: 'it warns of nothing in its configuration',
    needs: ['running'],
  },

  canary_unanswered: { group: 'canaries', severity: 'error', fine: 'each canary was answered', needs: ['canary'] },
  canary_no_verdict: { group: 'canaries', severity: 'error', fine: 'there was a verdict', needs: ['canary'] },
  canary_wrong_set_up: {
    group: 'canaries',
    severity: 'error',
    fine: 'Plumbline has no complaint about the filter',
    needs: ['canary'],
  },
  canary_passed: {
    group: 'canaries',
    severity: 'error',
    fine: 'the outbound canary did not get past unseen',
    needs: ['outbound'],
  },
  canary_watched: {
    group: 'canaries',
    severity: 'info',
    fine: 'no policy let the outbound canary pass',
    needs: ['outbound', 'exchanges'],
  },
  canary_unseen: {
    group: 'canaries',
    severity: 'error',
    fine: 'Plumbline has recorded each canary',
    needs: ['canary', 'exchanges'],
  },
  canary_direction: {
    group: 'canaries',
    severity: 'error',
    fine: 'each went in its direction',
    needs: ['canary', 'exchanges'],
  },
  canary_unread: {
    group: 'canaries',
    severity: 'warning',
    fine: 'the body of each was read by a parser',
    needs: ['canary', 'exchanges'],
  },
  canary_too_large: {
    group: 'canaries',
    severity: 'error',
    fine: 'a body just below listener.max_body_bytes arrives',
    needs: ['outbound', 'config'],
  },
  closing_passes: {
    group: 'canaries',
    severity: 'error',
    fine: 'when the stream to Plumbline breaks, nothing passes',
    needs: ['canary'],
  },
} as const satisfies Readonly<Record<string, CheckFacts>>

export type CheckId = keyof typeof CHECKS

export const CHECK_IDS = Object.keys(CHECKS) as readonly CheckId[]

export const factsOf = (id: CheckId): CheckFacts => CHECKS[id]
