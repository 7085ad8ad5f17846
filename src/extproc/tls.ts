import { constants } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import { ServerCredentials } from '@grpc/grpc-js'
import type { TlsMaterial } from '../core/tls.ts'

const OLDEST = 'TLSv1.2'

/**
 * TLS on both sides: a client without a certificate of our authorities does not get as far as HTTP. grpc-js's own
 * credentials cannot be renewed, or take a file that is half written for none.
 */
export class MutualTls extends ServerCredentials {
  constructor(material: TlsMaterial) {
    super({ requestCert: true, rejectUnauthorized: true }, contextOf(material))
  }

  /** For connections from now on. `material` has been checked: what TLS cannot use would close the listener. */
  renew(material: TlsMaterial): void {
    this.updateSecureContextOptions(contextOf(material))
  }

  _equals(other: ServerCredentials): boolean {
    return this === other
  }
}

/** A session that is resumed is not checked again: its certificate may have expired since. */
const NO_RESUMPTION = constants.SSL_OP_NO_TICKET

function contextOf({ cert, key, clientCa }: TlsMaterial): SecureContextOptions {
  return { cert, key, ca: clientCa, minVersion: OLDEST, secureOptions: NO_RESUMPTION }
}
