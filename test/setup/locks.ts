import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { openPool } from '../../src/platform/db/pool.ts';

const LIMIT_MS = 30_000;

/**
 * Waits until statements in a database wait for a lock.
 * @param url of its owner, who sees what the roles of the service wait for
 * @param table which each of them names; left out: any, where nothing else is at work
 * @param count how many have to wait
 */
export async function untilLocked(url: string, table = '', count = 1): Promise<void> {
  const owner = openPool({ url, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  try {
    const deadline = performance.now() + LIMIT_MS;
    for (;;) {
      const waiting = await owner.all(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and strpos(query, ${table}) > 0`);
      if (waiting.length >= count) return;
      assert.ok(performance.now() < deadline, `fewer than ${count} wait for a lock`);
      await sleep(5);
    }
  } finally {
    await owner.close();
  }
}
