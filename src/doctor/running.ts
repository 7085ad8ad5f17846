import type { Finding } from './finding.ts'
import { NOTHING, type Diagnosis, unchecked } from './examine.ts'
import { at, isTree, textAt, textsAt, treesAt } from './envoy/tree.ts'

/** What `/readyz` of Plumbline answered, or why it did not. */
export type ReadyAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly json: unknown }
  | { readonly kind: 'unreachable'; readonly why: string }

/** What the running Plumbline says of itself. */
export function examineRunning(ready: ReadyAnswer, address: string, fileDigest: string | undefined): Diagnosis {
  const where = `Plumbline on ${address}`
  if (ready.kind === 'unreachable') {
    const wrong = `its admin address does not answer: ${ready.why}`
    return {
      ...NOTHING,
      findings: [
        unready(where, wrong, 'Start it (plumbline serve --config FILE), or say where it is (--admin ADDRESS).'),
      ],
      unchecked: unchecked(
        ['reload_refused', 'config_stale', 'settings_open', 'settings_warned'],
        'Plumbline does not answer',
      ),
    }
  }
  const { status, json } = ready
  const told = (id: Finding['id'], texts: readonly string[], lines: string): readonly Finding[] =>
    texts.map((wrong) => ({ id, where, wrong, mend: { at: 'plumbline', lines } }))
  return {
    ...NOTHING,
    findings: [
      ...(status === 200
        ? []
        : [unready(where, `it is not ready: ${textAt(json, 'status') ?? `status ${status}`}`, 'Its log says why.')]),
      ...told(
        'settings_open',
        textsAt(json, 'fails_open'),
        'Right while you only watch; then set it to enforce, or to closed.',
      ),
      ...told('settings_warned', textsAt(json, 'warnings'), 'As the warning says.'),
      ...reloadRefused(where, at(json, 'configuration', 'last_reload')),
      ...configStale(where, textAt(json, 'configuration', 'digest'), fileDigest),
    ],
  }
}

/** Then what is checked here is not what runs. */
function configStale(where: string, inForce: string | undefined, ofFile: string | undefined): readonly Finding[] {
  if (inForce === undefined || ofFile === undefined || inForce === ofFile) return []
  const wrong = 'it runs with another file than the one of --config, or with an older state of it'
  const lines =
    'Give the file that it was started with; a new state of it is taken within seconds, or its log says why not.'
  return [{ id: 'config_stale', where, wrong, mend: { at: 'plumbline', lines } }]
}

const unready = (where: string, wrong: string, lines: string): Finding => ({
  id: 'plumbline_unready',
  where,
  wrong,
  mend: { at: 'elsewhere', lines },
})

function reloadRefused(where: string, last: unknown): readonly Finding[] {
  if (!isTree(last) || last['ok'] !== false) return []
  const problems = textsAt(last, 'problems')
  const texts =
    problems.length > 0 ? problems : treesAt(last, 'problems').flatMap((each) => textAt(each, 'message') ?? [])
  return [
    {
      id: 'reload_refused',
      where,
      wrong: `the configuration file has changed and was not taken: ${texts.join('; ') || 'its log says why'}`,
      mend: { at: 'plumbline', lines: 'As said; "plumbline validate FILE" checks it without a server.' },
    },
  ]
}

/** Where the server says so. */
export const nodeVersionOf = (ready: ReadyAnswer | undefined): string | undefined =>
  ready?.kind === 'answer' ? textAt(ready.json, 'node') : undefined
