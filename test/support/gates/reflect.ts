import type { Issue, Question, ReflectedMessage, Reflection } from '../../../src/gates/sparc/reflector.ts'
import { NO_WATCH } from '../../../src/core/telemetry.ts'
import type { EmbeddedPolicy } from '../../../src/gates/sparc/embedded/policy.ts'
import { createEmbeddedReflector, type EmbeddedTrack } from '../../../src/gates/sparc/embedded/index.ts'

export interface Asked {
  readonly args: unknown
  /** A schema of all arguments, or the properties of one that requires none. */
  readonly schema?: unknown
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly tool?: string
  readonly called?: string
  readonly tools?: readonly unknown[]
  readonly messages?: readonly ReflectedMessage[]
  readonly user?: string
  readonly track?: EmbeddedTrack
  readonly policy?: EmbeddedPolicy
}

export function functionTool(name: string, parameters: unknown, description = ''): unknown {
  return { type: 'function', function: { name, description, parameters } }
}

/** A question about one call. Arguments that are a text are taken as they stand. */
export function questionOf(asked: Asked): Question {
  const name = asked.tool ?? 'act'
  const schema = asked.schema ?? {
    type: 'object',
    properties: asked.properties ?? {},
    ...(asked.required && { required: asked.required }),
  }
  return {
    messages: asked.messages ?? [{ role: 'user', content: asked.user ?? 'Please do it.' }],
    tools: asked.tools ?? [functionTool(name, schema)],
    call: {
      id: 'call_1',
      tool: asked.called ?? name,
      argumentsText: typeof asked.args === 'string' ? asked.args : JSON.stringify(asked.args),
    },
    sessionId: undefined,
  }
}

export function reflect(asked: Asked): Promise<Reflection> {
  const reflector = createEmbeddedReflector({ track: asked.track ?? 'embedded', policy: asked.policy ?? 'default' })
  return reflector.reflect(questionOf(asked), new AbortController().signal, NO_WATCH)
}

/** The issues of a call that was looked at. */
export async function issuesOf(asked: Asked): Promise<readonly Issue[]> {
  const reflection = await reflect(asked)
  if (reflection.kind !== 'verdict') throw new Error(`no verdict: ${reflection.failure}`)
  if ((reflection.decision === 'reject') !== reflection.issues.length > 0) throw new Error('issues decide')
  return reflection.issues
}
