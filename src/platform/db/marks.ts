import { type Fragment, fixed } from '../../kit/sql.ts';

/**
 * A mark separates what is final from what an open transaction could still commit, however long its commit takes: it may wait for a standby.
 * A row notes where the mark is and, as `marked_xid`, the number of the transaction that set it ({@link MARK_XID}). Transactions with a
 * greater number began after that; once those with a smaller one have ended ({@link MARK_SETTLED}), nothing comes before the mark any more.
 * The next number of the server (`pg_snapshot_xmax`) would not do: it is that of the last transaction which has ended, plus one, and ones
 * with greater numbers may be open.
 */
export const MARK_XID: Fragment = fixed('pg_current_xact_id()');

/** Whether all transactions that began before the mark of a row have ended; null without a mark. */
export const MARK_SETTLED: Fragment = fixed('(marked_xid <= pg_snapshot_xmin(pg_current_snapshot()))');
