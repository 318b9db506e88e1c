import type { Store } from '../../platform/db/stores.ts';
import { type RowSweep, rowSweep } from '../../platform/work/row-sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { LinkDeps } from './deps.ts';
import { announce } from './service.ts';
import { nextLinkStatus } from './states.ts';
import { expireLinks, lockOverdue } from './store.ts';

const BATCH = 100;

type SweepDeps = Pick<LinkDeps, 'clock' | 'config' | 'log' | 'secrets' | 'wake'>;

/** Marks links as expired soon after `expires_at`. No payment can be created after that time, even before the sweep runs. */
export function linkSweep(deps: SweepDeps, store: Store): Sweep {
  const sweep: RowSweep = {
    name: 'links',
    environment: store.environment,
    idle_ms: 2_000,
    max: BATCH,
    change: async ({ limit, except, taken }) => {
      const at = deps.clock.now();
      const expired = await store.db.transaction(async (tx) => {
        const due = await lockOverdue(tx, new Date(at), limit, except);
        taken(due);
        const rows = due.map((row) => ({
          ...row,
          status: nextLinkStatus(row.status, 'window_elapsed') ?? row.status,
          event_count: row.event_count + 1,
          updated_at: new Date(at),
        }));
        if (rows.length > 0) await expireLinks(tx, rows);
        await announce(tx, { deps, at }, rows, 'link.updated');
        return rows.length;
      });
      if (expired > 0) deps.wake.ring(store.environment);
      return expired;
    },
    failure: 'a payment link could not expire; it will be tried again',
  };
  return rowSweep(sweep, deps);
}
