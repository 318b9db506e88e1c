import { setTimeout as sleep } from 'node:timers/promises';
import type { DbClient } from './client.ts';

/** The advisory lock of node-pg-migrate, which earlier releases take: two releases never migrate at the same time. */
const LOCK = '7241865325823964';
const LOOK_MS = 250;
const MAX_WAIT_MS = 3_600_000;

/**
 * Waits until no other process migrates this database. It looks again and again instead of waiting for the lock: the other
 * process may be building an index, which waits for every older statement, and so for this one.
 * @throws Error when another process has been migrating for an hour
 */
export async function takeTurn(client: DbClient, report: (message: string) => void): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (let looks = 0; ; looks++) {
    const { rows } = await client.query<{ mine: boolean }>(`select pg_try_advisory_lock(${LOCK}) as mine`);
    if (rows[0]?.mine) return;
    if (looks === 0) report('another process is migrating this database: waiting for its end');
    if (performance.now() > deadline) throw new Error('another process has been migrating this database for an hour');
    await sleep(LOOK_MS);
  }
}
