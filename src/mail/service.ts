import type { Tx } from '../kit/sql.ts';
import type { MailKind, NewMail } from './schema.ts';
import { insertMail, insertMailInTurn, waitForInvoice } from './store.ts';

export { waitForInvoice };

/** Writes a mail in the transaction of what it tells of; the worker sends it after the commit, at least once. */
export function writeMail<Kind extends MailKind>(tx: Tx, mail: NewMail<Kind>): Promise<void> {
  return insertMail(tx, mail);
}

/** The same, unless a mail of this name was written less than so long ago: of any number of nodes one writes. */
export function writeMailInTurn<Kind extends MailKind>(
  tx: Tx,
  mail: NewMail<Kind>,
  name: string,
  rest_ms: number,
): Promise<void> {
  return insertMailInTurn(tx, mail, name, rest_ms);
}
