import type { MailText } from './texts.ts';

/** A mail as it leaves. */
export interface OutgoingMail extends MailText {
  /** The same at every try: the Message-ID is made of it. */
  id: string;
  to: string;
  /** In whose name it is sent; left out: ours. The address is always ours, which is the one that may send. */
  from_name?: string;
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
  /** Takes away what a mail left here. Left out: it is not here any more. */
  forget?(mail: Pick<OutgoingMail, 'id' | 'date'>): Promise<void>;
}
