import type { Store } from '../../platform/db/stores.ts';
import { accountsAfter } from '../provider-accounts/service.ts';
import { type CallSweep, callSweep } from '../../platform/work/call-sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { FloatDeps } from './deps.ts';
import { pollFloat } from './poll.ts';
import { type AccountRef, claimPolls, deleteFloats } from './store.ts';

/** Interval between polls of an account. Balance calls count towards the providers' rate limits. */
const PERIOD_MS = 60_000;
const IDLE_MS = 5_000;
/** Accounts per page. Those that are due are polled concurrently. */
const PAGE = 50;

/** Polls the balances of all teams' accounts in turn, and deletes those of disabled ones: they would be `stale` for ever. */
export function floatSweep(deps: FloatDeps, store: Store): Sweep {
  let after = '';
  const sweep: CallSweep<AccountRef> = {
    name: 'float',
    environment: store.environment,
    idle_ms: IDLE_MS,
    claim: async () => {
      const page = await accountsAfter(deps.stores.control, store.environment, after, PAGE);
      after = page.length < PAGE ? '' : (page.at(-1)?.id ?? '');
      const refsOf = (rows: typeof page) => rows.map(({ team_id, id }) => ({ team_id, account_id: id }));
      const refs = refsOf(page.filter(({ active }) => active));
      await deleteFloats(store.db, refsOf(page.filter(({ active }) => !active)));
      const at = deps.clock.now();
      return refs.length === 0 ? [] : claimPolls(store.db, refs, new Date(at), new Date(at - PERIOD_MS));
    },
    // Pauses after the last page.
    more: () => after !== '',
    accountOf: ({ account_id }) => account_id,
    step: (ref) => pollFloat(deps, deps.stores[store.environment].of(ref.team_id), ref),
    start_within_ms: PERIOD_MS,
    failure: 'the float of an account could not be stored; it is read again',
  };
  return callSweep(sweep, deps);
}
