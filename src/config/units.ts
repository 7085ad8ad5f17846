export const MIB = 1024 * 1024

/** Times in milliseconds. */
export const SECOND = 1000
export const HOUR = 3600 * SECOND
export const DAY = 24 * HOUR
