import type { MailText } from './texts.ts';

/** A mail as it leaves. */
export interface OutgoingMail extends MailText {
  /** The same at every try: the Message-ID is made of it. */
  id: string;
  to: string;
  date: Date;
}

/** What became of one try. */
export type Sending =
  | { kind: 'sent' }
  /** This recipient is refused for good. */
  | { kind: 'refused'; error: string }
  /** Nothing is known to have been sent; trying again may help. */
  | { kind: 'failed'; error: string };

/** Where mail goes. Never throws; ends by its own deadline. */
export interface Mailer {
  send(mail: OutgoingMail): Promise<Sending>;
}
