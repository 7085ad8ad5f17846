/**
 * A scalar in which environment variables were replaced. It has no type of its own: the field it stands in reads the
 * text as its own type. Messages show `source`, never `text`, which may be a secret.
 */
export class Substituted {
  readonly text: string
  /** The scalar as it is written in the file, such as `${JUDGE_KEY}`. */
  readonly source: string

  constructor(text: string, source: string) {
    this.text = text
    this.source = source
  }
}
