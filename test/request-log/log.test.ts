import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Db, type Queryable, sql } from '../../src/kit/sql.ts';
import { RequestLog } from '../../src/tenants/request-log/log.ts';
import type { MadeRequest } from '../../src/tenants/request-log/schema.ts';
import { type Api, startApi } from '../setup/api.ts';

const DEADLINE_MS = 60_000;

let api: Api;
let db: Db;
before(async () => {
  api = await startApi({ workers: false });
  db = api.deps.stores.sandbox.db;
});
after(() => api.stop());

function logOf(parts: { max_per_day?: number; sandbox?: Queryable } = {}) {
  const lost: number[] = [];
  const log = new RequestLog({
    max_per_day: parts.max_per_day ?? 1_000,
    stores: { sandbox: parts.sandbox ?? db, live: api.deps.stores.live.db },
    lost: (_, rows) => lost.push(rows),
  });
  return { log, lost };
}

function request(team_id: bigint, changes: Partial<MadeRequest> = {}): MadeRequest {
  return {
    ...{ environment: 'sandbox', team_id, caller: 'key_1', request_id: 'req_1', own_id: false, method: 'GET', path: '/payments' },
    ...{ status: 200, error_code: null, duration_ms: 3, at: Date.now() },
    ...changes,
  };
}

const storedOf = async (team_id: bigint, store: Queryable = db) =>
  (await store.maybe<{ n: number }>(sql`select count(*)::integer as n from request_log where team_id = ${team_id}`))?.n;

test('requests of several teams and both environments are stored, each where it was made', async () => {
  const { log, lost } = logOf();
  const [one, two] = [9_001n, 9_002n];
  for (const team_id of [one, two, one]) log.add(request(team_id));
  log.add(request(two, { environment: 'live' }));
  await log.close(DEADLINE_MS);
  assert.deepEqual([await storedOf(one), await storedOf(two), await storedOf(two, api.deps.stores.live.db)], [2, 1, 1]);
  assert.deepEqual(lost, []);
  assert.equal(await storedOf(one, api.deps.stores.sandbox.of(two).db), 0);
});

test('a day of a team is stored up to its maximum, without effect on other teams and days', async () => {
  const [full, other] = [9_003n, 9_004n];
  const noon = Date.parse('2026-11-20T12:00:00Z');
  for (const round of [1, 2, 3]) {
    const { log } = logOf({ max_per_day: 5 });
    for (let i = 0; i < 3; i++) log.add(request(full, { at: noon }));
    log.add(request(other, { at: noon }));
    if (round === 3) log.add(request(full, { at: noon + 86_400_000 }));
    await log.close(DEADLINE_MS);
  }
  assert.deepEqual([await storedOf(full), await storedOf(other)], [4, 3]);
  const days = await db.all<{ day: Date; requests: string }>(
    sql`select day, requests::text from request_log_days where team_id = ${full} order by day`,
  );
  assert.deepEqual(
    days.map(({ day, requests }) => [day.toISOString(), requests]),
    [
      ['2026-11-20T00:00:00.000Z', '9'],
      ['2026-11-21T00:00:00.000Z', '1'],
    ],
  );
});

test('while the database is gone rows are lost and counted, and nothing is thrown', async () => {
  const gone = { ...db, all: () => Promise.reject(new Error('gone')) } as unknown as Queryable;
  const { log, lost } = logOf({ sandbox: gone });
  for (let i = 0; i < 450; i++) log.add(request(9_005n));
  await log.close(DEADLINE_MS);
  assert.equal(
    lost.reduce((sum, rows) => sum + rows, 0),
    450,
  );
});

test('a database that does not answer holds up neither requests nor the end of the process', async () => {
  const silent = { ...db, all: () => new Promise(() => {}) } as unknown as Queryable;
  const { log, lost } = logOf({ sandbox: silent });
  for (let i = 0; i < 10_000; i++) log.add(request(9_006n));
  await log.close(1);
  // 200 are with the database, 2,000 waited.
  assert.equal(
    lost.reduce((sum, rows) => sum + rows, 0),
    9_800,
  );
});
