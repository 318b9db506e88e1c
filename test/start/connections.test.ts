import assert from 'node:assert/strict';
import test from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { openStores } from '../../src/platform/db/stores.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import { openClock } from '../../src/program/start/clock.ts';
import { migrateAll, openDatabases } from '../../src/program/start/databases.ts';
import { atEnd, query, temporaryFolder } from '../db/helpers.ts';
import { until } from '../setup/api.ts';

const log = createLog({ level: 'silent', format: 'json' });
/** Each connection has five seconds, and a busy machine makes two hundred at once in more. */
const AT_ONCE = 8;

for (const DATABASE_POOL of ['16', '32']) {
  test(`two full processes with a DATABASE_POOL of ${DATABASE_POOL} fit on the embedded server, with room for the command line`, async (t) => {
    const config = readConfig({ DATA_DIR: temporaryFolder(t), DATABASE_POOL });
    const databases = await openDatabases(config);
    atEnd(t, () => databases.stop());
    await migrateAll(databases.urls);
    const processes = await Promise.all(
      [1, 2].map(async () => ({
        clock: await openClock(config, databases, log),
        stores: openStores(databases.service_urls, config.database_pool, log),
      })),
    );
    atEnd(t, () => Promise.all(processes.flatMap(({ clock, stores }) => [clock.close(), stores.close()])));
    const all = processes.flatMap(({ stores }) => [stores.control, stores.sandbox.db, stores.live.db]);
    const full = Promise.withResolvers<void>();
    const wanted = all.flatMap((db) => Array<Db>(config.database_pool).fill(db));
    const held: ReturnType<typeof holdConnection>[] = [];
    try {
      while (wanted.length > 0) {
        const more = wanted.splice(0, AT_ONCE).map((db) => holdConnection(db, full.promise));
        held.push(...more);
        await Promise.all(more.map(({ begun }) => begun));
      }
    } finally {
      full.resolve();
    }
    // The connections stay open. A database that takes two seconds to answer counts as slow at first.
    const states = await until(
      () => Promise.all(processes.map(({ stores }) => stores.states())),
      (seen) => seen.every((state) => Object.values(state).every((one) => one === 'ok')),
    );
    for (const state of states) assert.deepEqual(Object.values(state), ['ok', 'ok', 'ok']);
    const beside = Array.from({ length: 10 }, () => query(databases.urls.live, 'select 1 as one'));
    assert.equal((await Promise.all(beside)).length, 10);
    await Promise.all(held.map(({ ended }) => ended));
  });
}

/** Takes one connection of the pool until it is told to let go. */
function holdConnection(db: Db, until: Promise<void>): { begun: Promise<void>; ended: Promise<void> } {
  const begun = Promise.withResolvers<void>();
  const ended = db.transaction(async (tx) => {
    await tx.all(sql`select 1`);
    begun.resolve();
    await until;
  });
  ended.catch(begun.reject);
  return { begun: begun.promise, ended };
}
