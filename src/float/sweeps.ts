import type { Store } from '../db/stores.ts';
import { activeAccounts } from '../provider-accounts/service.ts';
import { type CallSweep, callSweep } from '../work/call-sweep.ts';
import type { Sweep } from '../work/sweep.ts';
import type { FloatDeps } from './deps.ts';
import { pollFloat } from './poll.ts';
import { type AccountRef, claimPolls } from './store.ts';

/** How often an account is asked: providers count questions too. */
const PERIOD_MS = 60_000;
const IDLE_MS = 5_000;
/** Accounts looked at in one round, of which those that are due are asked at once. */
const PAGE = 50;

/** Asks the accounts of all teams in turn what they hold; those that are disabled are not asked. */
export function floatSweep(deps: FloatDeps, store: Store): Sweep {
  let after = '';
  const sweep: CallSweep<AccountRef> = {
    name: 'float',
    environment: store.environment,
    idle_ms: IDLE_MS,
    claim: async () => {
      const page = await activeAccounts(deps.stores.control, store.environment, after, PAGE);
      after = page.length < PAGE ? '' : (page.at(-1)?.id ?? '');
      const refs = page.map(({ team_id, id }) => ({ team_id, account_id: id }));
      const at = deps.clock.now();
      return refs.length === 0 ? [] : claimPolls(store.db, refs, new Date(at), new Date(at - PERIOD_MS));
    },
    // After the last page it rests.
    more: () => after !== '',
    accountOf: ({ account_id }) => account_id,
    step: (ref) => pollFloat(deps, deps.stores[store.environment].of(ref.team_id), ref),
    start_within_ms: PERIOD_MS,
    failure: 'the float of an account could not be stored; it is read again',
  };
  return callSweep(sweep, deps);
}
