import type { Environment } from '../../kit/environment.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import { hasArchived, withholdArchiving } from '../payments/archived-store.ts';
import { lockPayments } from '../payments/store.ts';
import { archivedCompared, hasArchivedWithin } from './archived-store.ts';
import type { Books } from './matching-store.ts';

/** Maximum time between a payment and an attempt to pay it: the longest window in which it can be paid, and a day. */
const MAX_WINDOW_MS = 31 * 86_400_000;
const PAGE = 500;

/** Thrown when payments of the period of a statement are archived. Nothing was written. */
export class ArchivedPeriod extends Error {
  /** The first day whose payments have to be restored, and the day after the last. */
  readonly from: string;
  readonly before: string;

  constructor(from: string, before: string) {
    super(`payments of ${from} to ${before} are archived`);
    this.from = from;
    this.before = before;
  }
}

/**
 * Makes the archive visible to a comparison, which reads attempts in their table: nothing is archived until it ends. Payments that a line
 * names by key are restored, and payments that were refunded in the period; they are older than the period, so that there are few. A
 * period that is archived itself is rejected: it may hold millions.
 * @param since earliest time of operations that are compared
 * @throws ArchivedPeriod
 */
export async function restoreCompared(tx: Tx, environment: Environment, books: Books, since: number, to: number): Promise<void> {
  await withholdArchiving(tx, books.team_id);
  if (!(await hasArchived(tx, books.team_id))) return;
  const from = Math.max(0, since - MAX_WINDOW_MS);
  const payments = { from: lowestIdAt('trx', environment, from), to: lowestIdAt('trx', environment, to + 1) };
  const refunds = { from: books.lowest.refund, to: lowestIdAt('rfd', environment, to + 1) };
  if (await hasArchivedWithin(tx, books.team_id, payments)) throw new ArchivedPeriod(dayOf(from), dayOf(to + 86_400_000));
  for (let after = ''; ; ) {
    const ids = await archivedCompared(tx, books.team_id, refunds, after, PAGE);
    const last = ids.at(-1);
    if (last === undefined) return;
    await lockPayments(
      tx,
      ids.map((id) => ({ team_id: books.team_id, id })),
    );
    after = last;
  }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
