import type { Store } from '../../platform/db/stores.ts';
import { accountKey } from '../../platform/work/account-key.ts';
import { type CallSweep, callSweep } from '../../platform/work/call-sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { ReturnDeps } from './deps.ts';
import { advanceReturn } from './step.ts';
import { adoptAutomaticReturns, claimDueReturns, type DueReturn } from '../obligations/store.ts';

/** Lease: the return of a worker that dies on the way becomes due again after this. */
const LEASE_MS = 60_000;

/**
 * Returns the sweep that sends captured money back to the payer when the payment cannot keep it: by refund, else by payout, else
 * manually.
 */
export function returnSweep(deps: ReturnDeps, store: Store): Sweep {
  let adopted = 0;
  const sweep: CallSweep<DueReturn> = {
    name: 'returns',
    environment: store.environment,
    idle_ms: 500,
    claim: async (limit, skip, turn) => {
      const now = new Date(deps.clock.now());
      adopted = await adoptAutomaticReturns(store.db, now, limit);
      return claimDueReturns(store.db, now, LEASE_MS, limit, skip, turn);
    },
    more: () => adopted > 0,
    accountOf: ({ team_id, provider_account }) => accountKey(team_id, provider_account),
    step: ({ provider_account: _, ...row }) => advanceReturn(deps, store, row),
    start_within_ms: LEASE_MS / 2,
    failure: 'a return could not go on; it comes due again',
  };
  return callSweep(sweep, deps);
}
