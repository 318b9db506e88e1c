import { type Fragment, fixed } from '../../kit/sql.ts';

/**
 * A mark separates final rows from rows that an open transaction could still commit. A commit may take any time, because it may wait for
 * a standby. A row stores the position of the mark and, as `marked_xid`, the number of the transaction that set it ({@link MARK_XID}).
 * Transactions with a greater number began later. Once all transactions with a smaller number have ended ({@link MARK_SETTLED}), no row
 * can be added before the mark. `pg_snapshot_xmax` cannot be used as the number: it is one above the last transaction that has ended,
 * and open transactions may have greater numbers.
 */
export const MARK_XID: Fragment = fixed('pg_current_xact_id()');

/** Whether all transactions that began before the mark of a row have ended; null without a mark. */
export const MARK_SETTLED: Fragment = fixed('(marked_xid <= pg_snapshot_xmin(pg_current_snapshot()))');
