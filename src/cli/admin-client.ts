import { readFile } from 'node:fs/promises'
import { Agent, request } from 'undici'
import { readBounded } from '../client/bounded.ts'
import { check } from '../config/check.ts'
import { strictObject } from '../config/fields.ts'
import { pathText } from '../config/problem.ts'
import { SECTIONS } from '../config/schema.ts'
import { readToken } from '../config/token.ts'
import { readYaml } from '../config/yaml.ts'
import type { AdminAt } from './usage.ts'
import { messageOf } from '../core/message-of.ts'

/** What a running server's admin address says. */
export type AdminReply =
  /** `json`: undefined where the text is none. */
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly json: unknown }
  | { readonly kind: 'unreachable'; readonly why: string }

export interface AdminClient {
  /** `host:port`. */
  readonly address: string
  /** A token is sent. */
  readonly hasToken: boolean
  /** `path` with its query. Never rejects. */
  get(path: string): Promise<AdminReply>
}

export interface Wrong {
  readonly wrong: string
}

const DEFAULT_ADDRESS = '127.0.0.1:9094'
const TIMEOUT_MS = 5000
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** The running server that a command is about: of its configuration, or as the command line names it. */
export async function adminOf(usage: AdminAt): Promise<AdminClient | Wrong> {
  const section = usage.config === undefined ? {} : await adminSection(usage.config)
  if ('wrong' in section) return section
  const address = reachable(usage.admin ?? section.address ?? DEFAULT_ADDRESS)
  if (!URL.canParse(`http://${address}`)) return { wrong: `"${address}" is no host:port` }
  if (address.endsWith(':0')) return { wrong: `${address}: port 0 says no port; give --admin ADDRESS` }
  const tokenFile = usage.tokenFile ?? section.token_file
  if (tokenFile === undefined) return clientOf(address, undefined)
  const token = await readToken(tokenFile)
  if (!('wrong' in token)) return clientOf(address, token.token)
  // A configuration that was copied from elsewhere names a file that is not here.
  const instead = usage.tokenFile === undefined ? '; give it by --token-file FILE' : ''
  return { wrong: `${token.wrong}${instead}` }
}

interface AdminSection {
  readonly address?: string
  readonly token_file?: string | undefined
}

/** Only this section: the rest may need secrets of the server's environment, which an operator's shell has not. */
async function adminSection(file: string): Promise<AdminSection | Wrong> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    return { wrong: `${file}: cannot be read: ${messageOf(error)}` }
  }
  const { value, issues } = readYaml(text, process.env)
  if (value === undefined) return { wrong: `${file}: ${issues[0]?.message ?? 'cannot be used'}` }
  const found = isObject(value) ? value['admin'] : undefined
  const checked = check(strictObject(SECTIONS.admin), found ?? {}, ['admin'])
  if (checked.ok) return checked.value
  return { wrong: checked.issues.map(({ path, message }) => `${file}: ${pathText(path)}: ${message}`).join('\n') }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Where a server that listens everywhere can be reached from here. */
function reachable(address: string): string {
  return address.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:')
}

function clientOf(address: string, token: string | undefined): AdminClient {
  const dispatcher = new Agent({
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return {
    address,
    hasToken: token !== undefined,
    get: async (path) => {
      try {
        const answer = await request(`http://${address}${path}`, { dispatcher, headers })
        const bytes = await readBounded(answer.body, MAX_ANSWER_BYTES)
        if (bytes === undefined) return { kind: 'unreachable', why: 'the answer is too long' }
        const text = Buffer.from(bytes).toString('utf8')
        return { kind: 'answer', status: answer.statusCode, text, json: jsonIn(text) }
      } catch (error) {
        return { kind: 'unreachable', why: messageOf(error) }
      }
    },
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
