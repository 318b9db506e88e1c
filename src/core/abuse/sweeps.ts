import type { Store } from '../../platform/db/stores.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import { guardedTeams } from '../../tenants/teams/service.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import type { AbuseDeps } from './deps.ts';
import { HISTORY, LIMITS } from './rules.ts';
import { claimTeams, deleteUnused, makeAmounts, makePace } from './usual-store.ts';

const PAGE = 20;
const USUAL_IDLE_MS = 60_000;
const CLEANUP_BATCH = 500;
const CLEANUP_IDLE_MS = 600_000;
const DAY_MS = 86_400_000;

type SweepDeps = Pick<AbuseDeps, 'clock' | 'config' | 'log' | 'stores'>;

/** Computes the usual figures of each team whose charges are screened, about every hour. */
export function usualSweep(deps: SweepDeps, store: Store): Sweep {
  let after = 0n;
  return {
    name: 'abuse-usual',
    environment: store.environment,
    idle_ms: USUAL_IDLE_MS,
    round: async () => {
      const page = await guardedTeams(deps.stores.control, after, PAGE);
      after = page.length < PAGE ? 0n : (page.at(-1) ?? 0n);
      const at = deps.clock.now();
      const due = page.length === 0 ? [] : await claimTeams(store.db, page, new Date(at), new Date(at - HISTORY.made_every_ms));
      for (const team_id of due) {
        await computeUsual(deps.stores[store.environment].of(team_id), team_id, at).catch((err) => {
          deps.log.error(
            { err, team: String(team_id) },
            'the usual figures of a team could not be computed; retrying in an hour',
          );
        });
      }
      return after === 0n ? 0 : page.length;
    },
  };
}

async function computeUsual({ db, environment }: Store, team_id: bigint, at: number): Promise<void> {
  await db.transaction(async (tx) => {
    await makeAmounts(tx, team_id, lowestIdAt('trx', environment, at - HISTORY.amounts_ms));
    await makePace(tx, team_id, new Date(at - HISTORY.paces_from_ms), new Date(at - HISTORY.paces_to_ms));
  });
}

/** Deletes counts that no rule uses any more, expired blocks, and rejections as old as the oldest events. */
export function abuseCleanupSweep({ clock, config }: SweepDeps, store: Store): Sweep {
  return {
    name: 'abuse-forget',
    environment: store.environment,
    idle_ms: CLEANUP_IDLE_MS,
    round: () => {
      const at = clock.now();
      const before = {
        payers: new Date(at - DAY_MS),
        windows: new Date(at - HISTORY.paces_from_ms - LIMITS.team.window_ms),
        refusals: new Date(at - config.events_keep_ms),
        blocks: new Date(at),
      };
      return deleteUnused(store.db, before, CLEANUP_BATCH);
    },
  };
}
