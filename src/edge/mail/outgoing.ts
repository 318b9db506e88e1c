import type { MailText } from '../pages/texts/mails.ts';

/** A mail as sent. */
export interface OutgoingMail extends MailText {
  /** The same on every attempt: the Message-ID is derived from it. */
  id: string;
  to: string;
  /** Sender name; default: ours. The address is always ours, because only that one may send. */
  from_name?: string;
  date: Date;
}

/** Outcome of one attempt. */
export type Sending =
  | { kind: 'sent' }
  /** The recipient was rejected permanently. */
  | { kind: 'refused'; error: string }
  /** The mail may not have been sent; a retry may succeed. */
  | { kind: 'failed'; error: string };

/** Destination of mails. Never throws; has its own deadline. */
export interface Mailer {
  send(mail: OutgoingMail): Promise<Sending>;
}
