import type { Log } from '../../kit/log.ts';
import type { Store, Stores } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { teamIds } from '../../tenants/teams/service.ts';
import { countFurther, MAX_JOURNALS, teamsToCount } from './days.ts';
import { foldDeltas } from './fold.ts';

const FOLD_BATCH = 5_000;

/** Folds deltas into the balances, so that reading a balance stays cheap. */
export function foldSweep(store: Store): Sweep {
  return {
    name: 'ledger-fold',
    environment: store.environment,
    idle_ms: 200,
    round: async () => {
      const folded = await foldDeltas(store.db, FOLD_BATCH);
      // A balance is exact without folding: a partial batch can wait until a statement is worthwhile.
      return folded < FOLD_BATCH ? 0 : folded;
    },
  };
}

const TEAMS = 200;
const DAYS_IDLE_MS = 30_000;

/** Adds up the changes of balances by day, for statements. A statement is exact without it: it reads the rest from the journals. */
export function daysSweep(deps: { log: Log; stores: Stores }, store: Store): Sweep {
  let after = 0n;
  return {
    name: 'ledger-days',
    environment: store.environment,
    idle_ms: DAYS_IDLE_MS,
    round: async () => {
      const page = await teamIds(deps.stores.control, after, TEAMS);
      after = page.length < TEAMS ? 0n : (page.at(-1) ?? 0n);
      let behind = 0;
      for (const team_id of await teamsToCount(store.db, page)) {
        try {
          if ((await countFurther(deps.stores[store.environment].of(team_id).db, team_id)) >= MAX_JOURNALS) behind++;
        } catch (err) {
          deps.log.error(
            { err, team: String(team_id) },
            'the balance of a team could not be added up by day; it will be tried again',
          );
        }
      }
      // Journals that were posted meanwhile can wait: adding up each at once would take many times more statements.
      return after === 0n ? behind : page.length;
    },
  };
}
