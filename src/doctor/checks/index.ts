import type { CheckId } from '../catalogue.ts'
import * as attachment from './attachment.ts'
import * as edges from './edges.ts'
import * as link from './link.ts'
import * as processing from './processing.ts'
import * as speaker from './speaker.ts'
import type { Check } from './subject.ts'

/** The checks of Envoy's configuration, in the order in which they are told. */
export const CONFIGURATION_CHECKS: Readonly<Partial<Record<CheckId, Check>>> = {
  filter_missing: attachment.filterMissing,
  filter_disabled: attachment.filterDisabled,
  filter_conditional: attachment.filterConditional,
  filter_late: attachment.filterLate,
  tcp_unseen: attachment.tcpUnseen,
  upgrade_unseen: attachment.upgradeUnseen,
  upgrade_refused: attachment.upgradeRefused,
  connect_open: attachment.connectOpen,
  fail_open: processing.failOpen,
  observes_only: processing.observesOnly,
  body_mode: processing.bodyMode,
  head_mode: processing.headMode,
  headers_hidden: processing.headersHidden,
  body_early: processing.bodyEarly,
  override_refused: processing.overrideRefused,
  refusal_disabled: processing.refusalDisabled,
  mutation_lenient: processing.mutationLenient,
  route_cache: processing.routeCache,
  timeout_short: processing.timeoutShort,
  buffer_small: processing.bufferSmall,
  direction_missing: speaker.directionMissing,
  direction_wrong: speaker.directionWrong,
  direction_same: speaker.directionSame,
  metadata_from_request: speaker.metadataFromRequest,
  routing_claim: speaker.routingClaim,
  token_missing: speaker.tokenMissing,
  token_unsent: speaker.tokenUnsent,
  reset_flood: link.resetFlood,
  cluster_unusable: link.clusterUnusable,
  streams_differ: link.streamsDiffer,
  paths_unlike: edges.pathsUnlike,
  retries: edges.retries,
  reply_rewritten: edges.replyRewritten,
  envoy_admin_open: edges.envoyAdminOpen,
}
