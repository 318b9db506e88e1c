import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { createLog } from '../../src/kit/log.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { startApi, until } from '../setup/api.ts';

/** Lists whose statement PostgreSQL ends, as it does at the deadline. */
const api = await startApi();
const owner = openPool({ url: api.databases.sandbox, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
after(async () => {
  await owner.close();
  await api.stop();
});

/** Makes a request whose statement on refunds is canceled by the server. */
async function canceled(path: string) {
  return owner.transaction(async (tx) => {
    await tx.run(sql`lock table refunds in access exclusive mode`);
    const answer = api.call('GET', path);
    // Over another connection: within a transaction PostgreSQL reads the list of sessions only once.
    await until(
      () =>
        owner.all<{ done: boolean }>(sql`
          select pg_cancel_backend(pid) as done from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%refunds%'`),
      (ended) => ended.length > 0,
    );
    return answer;
  });
}

for (const path of ['/refunds', '/refunds?page=2', '/refunds?status=failed']) {
  test(`GET ${path} that takes too long is refused, and the answer says how to go on`, async () => {
    const { status, body } = await canceled(path);
    assert.equal(status, 422);
    assert.deepEqual(body.errors, {
      page: ['takes too long in a list of this size: page by cursor, starting with an empty one, or filter more narrowly'],
    });
  });
}

test('a page by cursor and a single read, which are bounded, ask to try again instead', async () => {
  for (const path of ['/refunds?cursor=', '/refunds/rfd_test_01khy5d7g00000000000000000']) {
    const { status, body, headers } = await canceled(path);
    assert.deepEqual([status, headers.get('retry-after')], [500, '5'], JSON.stringify(body));
  }
});
