import type { SentMail } from '../demo/mail/mail-server.ts'

/** What the mail server says of itself, and which secret lies in its inbox. */
export interface MailTold {
  readonly sent: readonly SentMail[]
  readonly reads: number
  readonly secret: string
}

/** What reached the evil server. */
export interface EvilTold {
  readonly bytes: number
  readonly bodies: readonly string[]
}
