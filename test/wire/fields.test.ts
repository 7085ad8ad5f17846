import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { loadSync } from '@grpc/proto-loader'
import type { Options } from '@grpc/proto-loader'
import { describe, expect, test } from 'vitest'
import { LOADER_OPTIONS } from '../../src/extproc/proto.ts'

/** The parts of a DescriptorProto that matter on the wire. */
interface Field {
  readonly name: string
  readonly number: number
  readonly type: string
  readonly label: string
  readonly typeName?: string
  readonly oneofIndex?: number
}
interface Described {
  readonly type: {
    readonly field?: readonly Field[]
    readonly oneofDecl?: readonly { readonly name: string }[]
    readonly value?: readonly EnumValue[]
    readonly enumType?: readonly { readonly name: string; readonly value: readonly EnumValue[] }[]
  }
}
interface EnumValue {
  readonly name: string
  readonly number: number
}
type Definitions = Readonly<Record<string, Described>>

const FILE = 'envoy/service/ext_proc/v3/external_processor.proto'
const THEIR_FOLDER = join(dirname(createRequire(import.meta.url).resolve('@grpc/grpc-js-xds/package.json')), 'deps')

function load(includeDirs: readonly string[]): Definitions {
  const options = { ...LOADER_OPTIONS, keepCase: true, includeDirs: [...includeDirs] } as Options
  return loadSync(FILE, options) as unknown as Definitions
}
const ours = load(LOADER_OPTIONS.includeDirs ?? [])
const theirs = load(['envoy-api', 'googleapis', 'protoc-gen-validate', 'xds'].map((name) => join(THEIR_FOLDER, name)))

/** What a field is on the wire and in a message. */
function facts(owner: Described, field: Field): object {
  const { name, number, type, label, typeName } = field
  const oneof = field.oneofIndex === undefined ? undefined : owner.type.oneofDecl?.[field.oneofIndex]?.name
  return { name, number, type, label, typeName: typeName?.split('.').at(-1), oneof }
}

const messages = Object.entries(ours).filter(
  ([name, { type }]) => name.startsWith('envoy.') && type?.field !== undefined,
)

/** Those of a file and those within a message. */
function enumsOf(definitions: Definitions): ReadonlyMap<string, readonly EnumValue[]> {
  const entries = Object.entries(definitions).filter(([name]) => name.startsWith('envoy.'))
  return new Map(
    entries.flatMap(([name, { type }]) => [
      ...(type?.value === undefined ? [] : [[name, type.value] as const]),
      ...(type?.enumType ?? []).map((nested) => [`${name}.${nested.name}`, nested.value] as const),
    ]),
  )
}
const ourEnums = enumsOf(ours)
const theirEnums = enumsOf(theirs)

const common = messages.flatMap(([name, owner]) =>
  (owner.type.field ?? []).flatMap((field) => {
    const other = theirs[name]
    const match = other?.type.field?.find((f) => f.name === field.name || f.number === field.number)
    return other === undefined || match === undefined
      ? []
      : [{ name: `${name}.${field.name}`, owner, field, other, match }]
  }),
)

describe('every field that an independent copy of the definitions has is the same here', () => {
  test.each(common)('$name', ({ owner, field, other, match }) => {
    expect(facts(owner, field)).toEqual(facts(other, match))
  })

  test.each([...ourEnums])('%s', (name, values) => {
    const known = theirEnums.get(name) ?? []
    expect(known.length).toBeGreaterThan(0)
    expect(values).toEqual(expect.arrayContaining([...known]))
  })

  test('which are most', () => {
    expect(common.length).toBeGreaterThanOrEqual(50)
  })

  test('and these are newer than that copy; a test through a real Envoy proves each that we use', () => {
    const proven = new Set(common.map(({ name }) => name))
    const newer = messages.flatMap(([name, { type }]) => (type.field ?? []).map((field) => `${name}.${field.name}`))
    expect(
      newer
        .filter((name) => !proven.has(name))
        .map((name) => name.split('.v3.')[1])
        .sort(),
    ).toEqual([
      'BodyMutation.streamed_response',
      'ProcessingRequest.protocol_config',
      'ProtocolConfiguration.request_body_mode',
      'ProtocolConfiguration.response_body_mode',
      'ProtocolConfiguration.send_body_without_waiting_for_header_response',
      'StreamedBodyResponse.body',
      'StreamedBodyResponse.end_of_stream',
    ])
  })
})

test('the modes that we use by number have the names that we mean', () => {
  const named = (name: string) =>
    ourEnums
      .get(`envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.${name}`)
      ?.map((value) => `${value.number} ${value.name}`)
  expect(named('BodySendMode')).toEqual([
    '0 NONE',
    '1 STREAMED',
    '2 BUFFERED',
    '3 BUFFERED_PARTIAL',
    '4 FULL_DUPLEX_STREAMED',
    '5 GRPC',
  ])
  expect(named('HeaderSendMode')).toEqual(['0 DEFAULT', '1 SEND', '2 SKIP'])
})
