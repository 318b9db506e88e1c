import type { Environment } from '../../kit/environment.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import { hasArchived, withholdArchiving } from '../payments/archived-store.ts';
import { lockPayments } from '../payments/store.ts';
import { archivedNamed, hasArchivedWithin } from './archived-store.ts';
import type { Books } from './matching-store.ts';

/** Maximum time between a payment and an attempt to pay it: the longest window in which it can be paid, and a day. */
const MAX_WINDOW_MS = 31 * 86_400_000;
const PAGE = 500;

/** Thrown when operations of the period of a statement are archived. Nothing was written. */
export class ArchivedPeriod extends Error {}

/**
 * Makes the archive visible to a comparison, which reads attempts in their table: nothing is archived until it ends. Payments that a line names by key are restored; they
 * are older than the period, so that there are few. A period that is archived itself is rejected: it may hold millions.
 * @param since earliest time of operations that are compared
 * @throws ArchivedPeriod
 */
export async function restoreCompared(tx: Tx, environment: Environment, books: Books, since: number, to: number): Promise<void> {
  await withholdArchiving(tx, books.team_id);
  if (!(await hasArchived(tx, books.team_id))) return;
  const from = Math.max(0, since - MAX_WINDOW_MS);
  const payments = { from: lowestIdAt('trx', environment, from), to: lowestIdAt('trx', environment, to + 1) };
  const refunds = { from: books.lowest.refund, to: lowestIdAt('rfd', environment, to + 1) };
  if (await hasArchivedWithin(tx, books.team_id, payments, refunds)) {
    const [first, last] = [new Date(from), new Date(to + 86_400_000)].map((at) => at.toISOString().slice(0, 10));
    throw new ArchivedPeriod(`payments of ${first} to ${last} are archived`);
  }
  for (let after = ''; ; ) {
    const ids = await archivedNamed(tx, books.team_id, after, PAGE);
    const last = ids.at(-1);
    if (last === undefined) return;
    await lockPayments(
      tx,
      ids.map((id) => ({ team_id: books.team_id, id })),
    );
    after = last;
  }
}
