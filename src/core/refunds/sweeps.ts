import type { Store } from '../../platform/db/stores.ts';
import { accountKey } from '../../platform/work/account-key.ts';
import { type CallSweep, callSweep } from '../../platform/work/call-sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { RefundDeps } from './deps.ts';
import type { RefundRow } from './schema.ts';
import { isUndecided } from './parts.ts';
import { recheckRefund } from './recheck.ts';
import { advanceRefund } from './send.ts';
import { coverLater } from './service.ts';
import { claimDueRefunds, type DueRefund } from './store.ts';

/** Lease of a claimed refund: if its worker dies, the refund becomes due again after this time. */
const LEASE_MS = 60_000;

/** Covers refunds that wait for money, sends covered ones, and polls those under way. */
export function refundSweep(deps: RefundDeps, store: Store): Sweep {
  const sweep: CallSweep<DueRefund> = {
    name: 'refunds',
    environment: store.environment,
    idle_ms: 500,
    claim: (limit, skip, turn) => claimDueRefunds(store.db, new Date(deps.clock.now()), LEASE_MS, limit, skip, turn),
    accountOf: ({ refund, provider_account }) => accountKey(refund.team_id, provider_account),
    step: ({ refund }) => step(deps, store, refund),
    start_within_ms: LEASE_MS / 2,
    failure: 'a refund could not go on; it comes due again',
  };
  return callSweep(sweep, deps);
}

async function step(deps: RefundDeps, store: Store, refund: RefundRow): Promise<void> {
  if (refund.status === 'failed' && !isUndecided(refund)) return recheckRefund(deps, store, refund);
  const covered = refund.draws !== null ? refund : await store.db.transaction((tx) => coverLater(tx, deps.config, store, refund));
  if (covered?.draws) await advanceRefund(deps, store, covered);
}
