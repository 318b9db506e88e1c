import { pgCode } from '../../kit/sql.ts';
import type { DbClient } from './client.ts';
import { type Blocker, describe, watchBlockers } from './migration-waits.ts';

/** Longest wait for a lock. Later statements queue behind the waiting one, so a change of a table can block its writers for this long. */
const LOCK_TIMEOUT_MS = 3_000;
const MAX_TRIES = 20;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/** Receives one line for each try that found a table locked. */
export type Report = (fields: Record<string, unknown>, message: string) => void;

/** How often, and how long, a change of a table waits for its lock. */
export interface LockTries {
  /** Default: standard error. */
  report?: Report;
  lock_timeout_ms?: number;
  max_tries?: number;
  first_wait_ms?: number;
}

/** A table was locked in every try. */
export class TableBlocked extends Error {}

/** Returns whether a statement failed because it did not get a lock. */
export function isLocked(error: unknown): boolean {
  const code = pgCode(error);
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK;
}

/**
 * Runs `work` until it finds no locked table. Statements that waited behind it run between two tries.
 * @param what word for the work in the messages
 * @param work receives the longest wait for a lock
 * @throws TableBlocked when a session holds a table for minutes; the message names it
 */
export async function triedAgain<Result>(
  client: DbClient,
  url: string,
  what: string,
  { report, lock_timeout_ms = LOCK_TIMEOUT_MS, max_tries = MAX_TRIES, first_wait_ms = FIRST_WAIT_MS }: LockTries,
  work: (lock_timeout_ms: number) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1, wait_ms = first_wait_ms; ; tries++, wait_ms = Math.min(wait_ms * 2, MAX_WAIT_MS)) {
    const watch = watchBlockers(client, url, lock_timeout_ms);
    try {
      return await work(lock_timeout_ms);
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (!isLocked(error)) throw error;
      const blockers = await watch.last();
      if (tries === max_tries) throw blocked(what, blockers, tries, error);
      const message = `a ${what} waits for a locked table, try ${tries} of ${max_tries}: ${describe(blockers)}`;
      if (report) report({ tries, blockers }, message);
      else console.error(message);
    } finally {
      await watch.close();
    }
    await new Promise((resolve) => setTimeout(resolve, wait_ms));
  }
}

function blocked(what: string, blockers: readonly Blocker[], tries: number, cause: unknown): TableBlocked {
  return new TableBlocked(
    `the ${what} found a table locked in ${tries} tries: ${describe(blockers)}. End that session (select pg_terminate_backend(pid)) or wait for it, then repeat the command`,
    { cause },
  );
}
