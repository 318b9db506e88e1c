import type { Store } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { applySteps } from './apply.ts';
import type { InvoiceDeps } from './deps.ts';
import type { InvoiceRow } from './schema.ts';
import { lockOverdue, postponeOverdue } from './store.ts';

const BATCH = 100;
/** Delay of the next try for an invoice that could not be marked. */
const POSTPONED_MS = 600_000;

type SweepDeps = Pick<InvoiceDeps, 'clock' | 'wake' | 'log'>;

/**
 * Marks invoices past their due date as overdue, within seconds of the next UTC day. When a batch fails, its invoices are marked one by
 * one: one that cannot be marked is logged and postponed, so that it does not delay the others.
 */
export function overdueSweep(deps: SweepDeps, store: Store): Sweep {
  return {
    name: 'invoice-overdue',
    environment: store.environment,
    idle_ms: 5_000,
    round: async () => {
      const at = deps.clock.now();
      const marked = await markBatch(store, at).catch(() => markEach(deps, store, at));
      if (marked > 0) deps.wake.ring(store.environment);
      return marked;
    },
  };
}

function markBatch(store: Store, at: number): Promise<number> {
  return store.db.transaction(async (tx) => {
    const rows = await lockOverdue(tx, new Date(at), BATCH);
    const steps = rows.map((before) => ({ before, trigger: 'due_passed' as const }));
    return (await applySteps(tx, at, steps)).length;
  });
}

async function markEach({ log }: SweepDeps, store: Store, at: number): Promise<number> {
  let marked = 0;
  for (let tried = 0; tried < BATCH; tried++) {
    let row: InvoiceRow | undefined;
    try {
      await store.db.transaction(async (tx) => {
        [row] = await lockOverdue(tx, new Date(at), 1);
        if (row) await applySteps(tx, at, [{ before: row, trigger: 'due_passed' }]);
      });
      if (!row) break;
      marked++;
    } catch (err) {
      if (!row) throw err;
      log.error({ err, invoice: row.id }, 'an invoice could not be marked as overdue; it will be tried again');
      await postponeOverdue(store.db, row, new Date(at + POSTPONED_MS));
    }
  }
  return marked;
}
