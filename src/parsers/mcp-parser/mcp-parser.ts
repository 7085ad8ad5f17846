import type { Body, Exchange } from '../../core/exchange.ts'
import type { Parser, Reading, ReadResult } from '../../core/plugin.ts'
import { glimpses, unreadableBytes } from '../kit/claim.ts'
import { createAnswerReader } from './answer.ts'
import type { McpConfig } from './config.ts'
import { malformedRefusal } from './denial.ts'
import { surveyor } from './ground.ts'
import { isKnownMethod } from './methods.ts'
import { readMessage, type Sent } from './request.ts'
import { readTransport } from './transport.ts'

export function createMcpParser(config: McpConfig, lentHosts: readonly string[] = []): Parser {
  const survey = surveyor(config, lentHosts)
  const sent = new WeakMap<Reading, Sent>()

  const read = (x: Exchange, body: Body): ReadResult => {
    const ground = survey(x)
    if (body.kind === 'none') return readTransport(x, ground)
    if (!ground.claimed && !showsProtocol(x, body)) return { kind: 'not-mine' }
    const unreadable = unreadableBytes(x, body)
    if (unreadable !== undefined) return { ...unreadable, refuse: malformedRefusal(x, config, undefined, false) }
    if (body.kind !== 'whole') return { kind: 'not-mine' }
    const understood = readMessage(x, body.bytes, ground, config)
    if (understood.result.kind === 'read' && understood.sent !== undefined) sent.set(understood.result, understood.sent)
    return understood.result
  }

  return {
    kind: 'parser',
    isHome: (x) => survey(x).home === 'own',
    wantsExempt(x) {
      const ground = survey(x)
      return ground.nearPath || ground.home === 'own'
    },
    read,
    readAnswer(x, mine) {
      const asked = mine === undefined ? undefined : sent.get(mine)
      return asked === undefined || x.direction !== 'outbound' ? undefined : createAnswerReader(x, asked)
    },
  }
}

/** A body shows the protocol by JSON-RPC's own key, or by a method that only this protocol would name. */
function showsProtocol(x: Exchange, body: Body): boolean {
  return glimpses(x, body).some((seen) => seen.keys.has('jsonrpc') || seen.methods.some(isKnownMethod))
}
