import type { Store } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { applySteps } from './apply.ts';
import type { InvoiceDeps } from './deps.ts';
import { lockOverdue } from './store.ts';

const BATCH = 100;

/** Marks invoices past their due date as overdue, within seconds of the next UTC day. */
export function overdueSweep(deps: Pick<InvoiceDeps, 'clock' | 'wake'>, store: Store): Sweep {
  return {
    name: 'invoice-overdue',
    environment: store.environment,
    idle_ms: 5_000,
    round: async () => {
      const at = deps.clock.now();
      const late = await store.db.transaction(async (tx) => {
        const rows = await lockOverdue(tx, new Date(at), BATCH);
        const steps = rows.map((before) => ({ before, trigger: 'due_passed' as const }));
        return applySteps(tx, at, steps);
      });
      if (late.length > 0) deps.wake.ring(store.environment);
      return late.length;
    },
  };
}
