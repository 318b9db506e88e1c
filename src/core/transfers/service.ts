import type { Store } from '../../platform/db/stores.ts';
import { notFound } from '../../kit/errors.ts';
import { isId } from '../../kit/ids.ts';
import type { TransferRow } from './schema.ts';
import { returnToAccount } from './callback-store.ts';
import { findTransfer, pollNow, type ReportedTransfer, type TransferSubject } from './store.ts';

/**
 * Returns a transfer of this team and store.
 * @throws Problem 404, the same for an unknown id, another team's and another environment's
 */
export async function getTransfer(store: Store, team_id: bigint, id: string): Promise<TransferRow> {
  const row = isId('po', store.environment, id) ? await findTransfer(store.db, { team_id, id }) : undefined;
  if (!row) throw notFound('Transfer');
  return row;
}

/** A provider account from which a callback came. `keyOf`: its key for an id of ours. */
export interface TransferSource {
  team_id: bigint;
  account_id: string;
  keyOf(id: string): string;
}

/**
 * Makes a transfer due for polling now, after a callback from its provider, also from one that turned it away before another did.
 * @returns the transfer; undefined when the account has none such
 */
export async function pollTransfer(
  store: Store,
  at: number,
  { team_id, account_id, keyOf }: TransferSource,
  subject: TransferSubject,
): Promise<ReportedTransfer | undefined> {
  const now = new Date(at);
  const known = await pollNow(store.db, team_id, account_id, subject, now, keyOf);
  if (known || subject.by !== 'id' || !isId('po', store.environment, subject.value)) return known;
  return returnToAccount(store.db, team_id, account_id, subject.value, keyOf(subject.value), now);
}
