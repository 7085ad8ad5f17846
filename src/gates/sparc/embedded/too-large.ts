/** The question is larger than we look at. */
export class TooLarge extends Error {}
