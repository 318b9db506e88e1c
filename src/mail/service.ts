import type { Tx } from '../kit/sql.ts';
import type { MailKind, NewMail } from './schema.ts';
import { insertMail } from './store.ts';

/** Writes a mail in the transaction of what it tells of; the worker sends it after the commit, at least once. */
export function writeMail<Kind extends MailKind>(tx: Tx, mail: NewMail<Kind>): Promise<void> {
  return insertMail(tx, mail);
}
