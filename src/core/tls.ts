/** What a TLS listener shows, and the authorities whose clients it takes. In PEM; it fits together. */
export interface TlsMaterial {
  readonly cert: string
  readonly key: string
  readonly clientCa: string
}
