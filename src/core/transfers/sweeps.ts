import type { Store } from '../../platform/db/stores.ts';
import { Batcher } from '../../kit/batch.ts';
import { must } from '../../kit/errors.ts';
import { accountKey } from '../../platform/work/account-key.ts';
import { type CallSweep, callSweep } from '../../platform/work/call-sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { type AppliedTransfer, applyTransfers, type TransferChange } from './apply.ts';
import type { TransferDeps } from './deps.ts';
import { advance, type Sender } from './send.ts';
import { SUBMIT_LEASE_MS } from '../../providers/adapters/polling.ts';
import type { TransferRow } from './schema.ts';
import { claimDueTransfers } from './store.ts';

const BATCH = 50;

type SweepDeps = Pick<TransferDeps, 'clock' | 'config' | 'log' | 'providers' | 'router' | 'secrets' | 'shards' | 'wake'>;

/** Returns the sweep that submits transfers to providers and polls them until they are final. */
export function transferSweep(deps: SweepDeps, store: Store): Sweep {
  const sender = senderOf(deps, store);
  const sweep: CallSweep<TransferRow> = {
    name: 'transfers',
    environment: store.environment,
    idle_ms: 250,
    claim: (limit, skip, turn) => claimDueTransfers(store.db, new Date(deps.clock.now()), SUBMIT_LEASE_MS, limit, skip, turn),
    // A transfer without an account yet is counted by its channel: transfers on one channel try the same accounts.
    accountOf: ({ team_id, provider_account, channel }) => accountKey(team_id, provider_account ?? channel),
    step: (row) => advance(sender, row),
    start_within_ms: SUBMIT_LEASE_MS / 2,
    failure: 'a transfer could not go on; it comes due again',
  };
  return callSweep(sweep, deps);
}

/**
 * Returns a sender. Changes that arrive together are applied in one transaction; no change waits for the slow provider of another
 * transfer.
 */
function senderOf(deps: SweepDeps, store: Store): Sender {
  const changes = new Batcher<TransferChange, AppliedTransfer>({
    max: BATCH,
    inFlight: 2,
    exclusive: ({ known }) => [known.id],
    run: (batch) => applyAll(deps, store, batch),
  });
  return { deps, store, apply: (change) => changes.add(change) };
}

async function applyAll(deps: SweepDeps, store: Store, changes: TransferChange[]): Promise<AppliedTransfer[]> {
  const context = { environment: store.environment, at: deps.clock.now() };
  const applied = await store.db.transaction((tx) => applyTransfers(tx, context, changes));
  // Wakes the delivery of the events.
  deps.wake.ring(store.environment);
  return changes.map(({ known }) => must(applied.get(known.id), 'transfers are never deleted'));
}
