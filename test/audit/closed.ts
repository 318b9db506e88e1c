import { setTimeout as sleep } from 'node:timers/promises';
import { type Queryable, sql } from '../../src/kit/sql.ts';

/**
 * Waits until nothing older than the entries runs any more: transactions of other tests' databases on the same server
 * count too, and hold sealing back as they should.
 */
export async function closed(db: Queryable): Promise<void> {
  for (;;) {
    const row = await db.maybe<{ closed: boolean }>(sql`
      select coalesce(max(tx) < pg_snapshot_xmin(pg_current_snapshot()), true) as closed from audit_entries`);
    if (row?.closed) return;
    await sleep(5);
  }
}
