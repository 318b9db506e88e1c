import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Store, Stores } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { teamIds } from '../../tenants/teams/service.ts';
import { countTeam, FINISH_AFTER_MS } from './count.ts';
import { dueTeams } from './store.ts';

const PAGE = 200;
const IDLE_MS = 10_000;
/** Minimum time between two counts of a team. */
const COUNT_EVERY_MS = 30_000;
const HOUR_MS = 3_600_000;

interface SweepDeps {
  clock: Clock;
  log: Log;
  stores: Stores;
}

/** Counts the hourly figures of teams with new events. A team without any costs one step in an index. */
export function figuresSweep(deps: SweepDeps, store: Store): Sweep {
  let after = 0n;
  return {
    name: 'figures',
    environment: store.environment,
    idle_ms: IDLE_MS,
    round: async () => {
      const page = await teamIds(deps.stores.control, after, PAGE);
      after = page.length < PAGE ? 0n : (page.at(-1) ?? 0n);
      const counted = await countTeams(deps, store, page);
      return after === 0n ? counted : page.length;
    },
  };
}

/** @returns how many teams have more to count */
async function countTeams(deps: SweepDeps, { db, environment }: Store, page: readonly bigint[]): Promise<number> {
  if (page.length === 0) return 0;
  const at = deps.clock.now();
  const due = await dueTeams(db, page, new Date(at - COUNT_EVERY_MS), new Date(at - FINISH_AFTER_MS - HOUR_MS));
  let more = 0;
  for (const team_id of due) {
    try {
      if (await countTeam(deps.stores[environment].of(team_id).db, { environment, team_id }, deps.clock.now())) more++;
    } catch (err) {
      deps.log.error(
        { err, team: String(team_id) },
        'the hourly figures of a team could not be counted; they will be tried again',
      );
    }
  }
  return more;
}
