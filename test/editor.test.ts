import { describe, expect, test } from 'vitest'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { getLanguageService, type LanguageService } from 'yaml-language-server'
import { PLUGIN_TYPES } from '../src/cli/plugins.ts'
import { schemaText } from '../src/cli/schema.ts'
import { LISTENER_FIELDS } from '../src/config/listener-fields.ts'

/* What a user's editor makes of the schema, by the language server that editors use. */

const LIMIT_MS = 60_000

const service = openService()
const OUTBOUND = 'pipeline:\n  outbound:\n    plugins:\n'
const IBAC = `${OUTBOUND}      - name: ibac\n`

describe('an editor', { timeout: LIMIT_MS }, () => {
  const ibac = PLUGIN_TYPES.find(({ name }) => name === 'ibac')

  test.each([
    ['options', 'pipeline: {}\nlistener:\n  |', Object.keys(LISTENER_FIELDS)],
    ['values', 'pipeline: {}\nlog:\n  level: |', ['debug', 'error', 'info', 'warn']],
    ['plugins', `${OUTBOUND}      - name: |`, PLUGIN_TYPES.map(({ name }) => name)],
    ['modes', `${IBAC}        on_error: |`, ['enforce', 'observe', 'off']],
    ['options of a plugin', `${IBAC}        config:\n          |`, Object.keys(ibac?.schema.parse({}) ?? {})],
    ['values of them', `${IBAC}        config:\n          judge: |`, ['embedded', 'llm']],
  ])('offers %s', async (_what, text, expected) => {
    const at = text.indexOf('|')
    const document = documentOf(text.replace('|', ''))
    const { items } = await service.doComplete(document, document.positionAt(at), false)
    expect(items.map(({ label }) => label).sort()).toEqual([...expected].sort())
  })

  test('marks what is wrong, by its line', async () => {
    const text = `${IBAC}        on_error: enforced\n        config: { judge: embeded }\nlog: { colour: red }\n`
    const found = await service.doValidation(documentOf(text), false)
    expect(found.map(({ range }) => range.start.line).sort()).toEqual([4, 5, 6])
  })

  test('marks nothing in what is right', async () => {
    const text = `${OUTBOUND}      - mcp-parser\n      - { name: ibac, config: { judge: embedded, timeout_ms: '\${T}' } }\n`
    expect(await service.doValidation(documentOf(text), false)).toEqual([])
  })

  test('says what an option is', async () => {
    const hover = await service.doHover(documentOf('listener:\n  max_streams: 3\n'), { line: 1, character: 4 })
    expect(JSON.stringify(hover)).toContain('Exchanges at once')
  })
})

let version = 0

/** What the server knows of a document it keeps by its version. */
function documentOf(text: string): TextDocument {
  version += 1
  return TextDocument.create('file:///plumbline.yaml', 'yaml', version, text)
}

function openService(): LanguageService {
  const nothing = () => undefined
  const parameters = {
    schemaRequestService: async () => schemaText(),
    workspaceContext: { resolveRelativePath: (path: string) => path },
    connection: { window: { showMessage: nothing }, onRequest: nothing, sendRequest: nothing },
    telemetry: { send: nothing, sendError: nothing, sendTrack: nothing },
    yamlSettings: {},
  }
  const opened = getLanguageService(parameters as unknown as Parameters<typeof getLanguageService>[0])
  const schemas = [{ uri: 'file:///schema.json', fileMatch: ['*.yaml'], schema: JSON.parse(schemaText()) as object }]
  opened.configure({ validate: true, completion: true, hover: true, indentation: '  ', yamlVersion: '1.2', schemas })
  return opened
}
