import type { Tx } from '../../kit/sql.ts';
import type { MailKind, NewMail } from './schema.ts';
import { insertMail, insertMailInTurn, waitForInvoice } from './store.ts';

export { waitForInvoice };

/** Queues a mail in the transaction of the change it reports. The worker sends it after the commit, at least once. */
export function writeMail<Kind extends MailKind>(tx: Tx, mail: NewMail<Kind>): Promise<void> {
  return insertMail(tx, mail);
}

/**
 * Queues a mail unless one with this name was queued within the last `rest_ms` milliseconds. When several nodes try, exactly
 * one does.
 */
export function writeMailInTurn<Kind extends MailKind>(
  tx: Tx,
  mail: NewMail<Kind>,
  name: string,
  rest_ms: number,
): Promise<void> {
  return insertMailInTurn(tx, mail, name, rest_ms);
}
