/** Housekeeping says little; what is longer carries something. Bytes of its parameters, or characters of its query. */
export const HOUSEKEEPING_BYTES = 4096
