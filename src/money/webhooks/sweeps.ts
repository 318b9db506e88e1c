import type { Store } from '../../platform/db/stores.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { resumeQueues, stopFullQueues } from './backlog-store.ts';
import type { WebhookDeps } from './deps.ts';

export interface BacklogLimits {
  /** Maximum waiting deliveries of one endpoint. Approximate: deliveries queued between two rounds are not counted. */
  max: number;
  /** Queueing resumes when fewer are waiting. Far below `max`, so that a slow endpoint does not oscillate. */
  resume_below: number;
}

/** 100,000 deliveries are several days of a busy shop, and 20 MB. */
const DEFAULT_BACKLOG_LIMITS: BacklogLimits = { max: 100_000, resume_below: 10_000 };
const BATCH = 200;

/** Bounds the backlog of each endpoint: above the limit no more deliveries are queued, and the owner is notified by mail. */
export function backlogSweep(
  { log }: Pick<WebhookDeps, 'log'>,
  store: Store,
  limits: BacklogLimits = DEFAULT_BACKLOG_LIMITS,
): Sweep {
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
