import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shippedSidecar } from './sidecar.ts'

const ENVOY = fileURLToPath(new URL('../../envoy/', import.meta.url))
const TLS = fileURLToPath(new URL('tls/', import.meta.url))

/** Vouches for the certificates with which Envoy opens the agent's TLS in tests. */
export const EGRESS_CA = join(TLS, 'egress-ca.pem')

/** `envoy/sidecar.yaml` with these patches applied in turn, as the documentation says to do it. */
export function patchedSidecar(...patches: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-'))
  try {
    mkdirSync(join(folder, 'envoy'))
    const file = join(folder, 'envoy', 'sidecar.yaml')
    writeFileSync(file, shippedSidecar())
    // A folder that is no repository, whatever lies around it.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() }
    for (const patch of patches) execFileSync('git', ['apply', join(ENVOY, patch)], { cwd: folder, env })
    return readFileSync(file, 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const tunnelSidecar = () => patchedSidecar('egress-tunnel.patch')

/** Opens the TLS of `localhost`, with a certificate that is made for tests. */
export function interceptSidecar(): string {
  return patchedSidecar('egress-tunnel.patch', 'egress-intercept.patch')
    .replace('server_names: [api.example.com]', 'server_names: [localhost]')
    .replace('/etc/plumbline/egress/api.example.com.pem', join(TLS, 'egress-localhost.pem'))
    .replace('/etc/plumbline/egress/api.example.com.key', join(TLS, 'egress-localhost.key'))
}
