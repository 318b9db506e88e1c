import type { Store } from '../db/stores.ts';
import type { Deps } from '../deps.ts';
import type { Sweep } from '../work/sweep.ts';
import { resumeQueues, stopFullQueues } from './backlog-store.ts';

export interface BacklogLimits {
  /** Deliveries that may wait for one endpoint; about: what is queued between two rounds is not counted. */
  max: number;
  /** Deliveries are queued again when fewer wait. Far below, so that a slow endpoint does not go back and forth. */
  resume_below: number;
}

/** A hundred thousand are days of a busy shop, and 20 MB. */
const DEFAULT_BACKLOG_LIMITS: BacklogLimits = { max: 100_000, resume_below: 10_000 };
const BATCH = 200;

/** Keeps the backlog of each endpoint bounded: past a limit no more is queued, and the owner gets a mail that says so. */
export function backlogSweep({ log }: Pick<Deps, 'log'>, store: Store, limits: BacklogLimits = DEFAULT_BACKLOG_LIMITS): Sweep {
  let after = '';
  const { environment, db } = store;
  return {
    name: 'webhook-backlogs',
    environment,
    idle_ms: 60_000,
    round: async () => {
      for (const { team_id, id } of await resumeQueues(db, limits.resume_below, BATCH)) {
        log.info({ environment, team: String(team_id), webhook: id }, 'deliveries are queued again for a webhook endpoint');
      }
      const { stopped, last } = await stopFullQueues(db, { after, endpoints: BATCH }, limits.max);
      for (const { team_id, id } of stopped) {
        log.warn(
          { environment, team: String(team_id), webhook: id, waiting: limits.max },
          'too many deliveries wait for a webhook endpoint: no more are queued',
        );
      }
      after = last ?? '';
      return last === null ? 0 : 1;
    },
  };
}
