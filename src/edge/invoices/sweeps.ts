import type { Store } from '../../platform/db/stores.ts';
import { type RowSweep, rowSweep } from '../../platform/work/row-sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { applySteps } from './apply.ts';
import type { InvoiceDeps } from './deps.ts';
import { lockOverdue } from './store.ts';

const BATCH = 100;

type SweepDeps = Pick<InvoiceDeps, 'clock' | 'wake' | 'log'>;

/** Marks invoices past their due date as overdue, within seconds of the next UTC day. */
export function overdueSweep(deps: SweepDeps, store: Store): Sweep {
  const sweep: RowSweep = {
    name: 'invoice-overdue',
    environment: store.environment,
    idle_ms: 5_000,
    max: BATCH,
    change: async ({ limit, except, taken }) => {
      const at = deps.clock.now();
      const marked = await store.db.transaction(async (tx) => {
        const rows = await lockOverdue(tx, new Date(at), limit, except);
        taken(rows);
        const steps = rows.map((before) => ({ before, trigger: 'due_passed' as const }));
        return (await applySteps(tx, at, steps)).length;
      });
      if (marked > 0) deps.wake.ring(store.environment);
      return marked;
    },
    failure: 'an invoice could not be marked as overdue; it will be tried again',
  };
  return rowSweep(sweep, deps);
}
