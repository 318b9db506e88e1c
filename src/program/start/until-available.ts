import { setTimeout as sleep } from 'node:timers/promises';
import { asUnavailable, DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import type { Log } from '../../kit/log.ts';

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;
/** Maximum time of all retries, longer than a failover takes. After this the process exits, and its supervisor restarts it. */
const MAX_TOTAL_MS = 300_000;

/**
 * Retries `work` while the database is unavailable, with increasing waits and one log line, so that a process that starts
 * during a failover waits for its end.
 * @param work may be abandoned at any point, as by a crash: a statement of a migration may wait a day for a database that does not respond
 * @param stop_ms how long a try may continue after the process was asked to stop, in milliseconds
 * @returns undefined when the process was stopped meanwhile
 */
export async function untilAvailable<T extends object>(
  work: () => Promise<T>,
  log: Log,
  stopAsked: Promise<unknown>,
  stop_ms: number,
): Promise<T | undefined> {
  const deadline = performance.now() + MAX_TOTAL_MS;
  const givenUp = stopAsked.then(() => sleep(stop_ms, undefined, { ref: false }));
  for (let wait_ms = FIRST_WAIT_MS, tries = 1; ; wait_ms = Math.min(wait_ms * 2, MAX_WAIT_MS), tries++) {
    try {
      const result = await Promise.race([work(), givenUp]);
      if (!result) log.warn('stopped before the databases were prepared');
      else if (tries > 1) log.info({ tries }, 'the database is available');
      return result;
    } catch (caught) {
      const error = asUnavailable(caught);
      if (!(error instanceof DatabaseUnavailable) || performance.now() > deadline) throw error;
      if (tries === 1) log.warn({ err: error }, 'the database is not available yet: retrying for five minutes');
    }
    if (await Promise.race([stopAsked.then(() => true), sleep(wait_ms, false, { ref: true })])) return undefined;
  }
}
