import type { Store } from '../../platform/db/stores.ts';
import { notFound } from '../../kit/errors.ts';
import { isId } from '../../kit/ids.ts';
import type { TransferRow } from './schema.ts';
import { returnToAccount } from './callback-store.ts';
import { findTransfer, pollNow, type ReportedTransfer, type TransferSource, type TransferSubject } from './store.ts';

/**
 * Returns a transfer of this team and store.
 * @throws Problem 404, the same for an unknown id, another team's and another environment's
 */
export async function getTransfer(store: Store, team_id: bigint, id: string): Promise<TransferRow> {
  const row = isId('po', store.environment, id) ? await findTransfer(store.db, { team_id, id }) : undefined;
  if (!row) throw notFound('Transfer');
  return row;
}

/**
 * Makes a transfer due for polling now, after a callback from its provider, or from one that turned it away before another did.
 * @returns the transfer; undefined when the account has no such transfer
 */
export async function pollTransfer(
  store: Store,
  at: number,
  from: TransferSource,
  subject: TransferSubject,
): Promise<ReportedTransfer | undefined> {
  const now = new Date(at);
  const known = await pollNow(store.db, from, subject, now);
  if (known || (subject.by === 'id' && !isId('po', store.environment, subject.value))) return known;
  return returnToAccount(store.db, from, subject, now);
}
