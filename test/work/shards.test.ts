import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { claimDueAttempts } from '../../src/core/attempts/store.ts';
import { claimDueReturns } from '../../src/core/obligations/store.ts';
import { claimContinuing } from '../../src/core/payments/store.ts';
import { claimDueRefunds } from '../../src/core/refunds/store.ts';
import { claimDueTransfers } from '../../src/core/transfers/store.ts';
import type { Log } from '../../src/kit/log.ts';
import { type Db, type Queryable, type Sql, sql } from '../../src/kit/sql.ts';
import { startDeliveries } from '../../src/money/webhooks/deliver.ts';
import { claimDue } from '../../src/money/webhooks/deliveries-store.ts';
import { callSweep } from '../../src/platform/work/call-sweep.ts';
import { ALL_TEAMS_ROLE } from '../../src/platform/db/scope.ts';
import { EVERY_TURN, LATE_MS, MEMBER_LEASE_MS, rangeOf, SHARDS, Shards, type Turn } from '../../src/platform/work/shards.ts';
import { until } from '../setup/api.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';

/** How several workers divide the teams: each row has one worker that takes it first, and none waits for a worker that is gone. */
let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());
afterEach(() => twins.owner.run(sql`delete from work_members`));

const NOW = new Date('2030-01-01T00:00:00Z');
const ALL = EVERY_TURN.shards;
const text = (statement: string, values: unknown[] = []): Sql => ({ text: statement, values });

/** A worker process, as far as the division is concerned. */
function worker() {
  const shards = new Shards();
  const sweep = shards.sweep({ environment: 'live', db: twins.owner });
  return { shards, renew: () => sweep.round(), stop: () => sweep.end?.() };
}

test('ranges cover every shard once, whatever the number of workers, and differ by at most one shard', () => {
  for (let count = 1; count <= SHARDS + 4; count++) {
    const members = Array.from({ length: count }, (_, i) => `worker-${String(i).padStart(2, '0')}`);
    const ranges = members.map((member) => rangeOf(members, member));
    assert.deepEqual(ranges.flat(), ALL, `${count} workers`);
    const sizes = ranges.map((range) => range.length);
    assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, `${count} workers: ${sizes}`);
  }
});

test('a worker alone takes all rows, and asks for no others', async () => {
  const alone = worker();
  assert.deepEqual([alone.shards.own, alone.shards.others], [EVERY_TURN, undefined], 'before it has asked');
  await alone.renew();
  assert.deepEqual([alone.shards.own, alone.shards.others], [EVERY_TURN, undefined]);
});

test('workers divide the shards; what one leaves goes to the others', async () => {
  const workers = [worker(), worker(), worker()];
  const renewAll = async () => {
    for (const one of workers) await one.renew();
  };
  const covered = () => workers.flatMap(({ shards }) => shards.own.shards).sort((a, b) => a - b);
  await renewAll();
  await renewAll();
  assert.deepEqual(covered(), ALL);
  for (const { shards } of workers) {
    assert.deepEqual(
      [...shards.own.shards, ...(shards.others?.shards ?? [])].sort((a, b) => a - b),
      ALL,
    );
    assert.equal(shards.others?.late_ms, LATE_MS);
  }
  const gone = workers.pop();
  await gone?.stop();
  await renewAll();
  assert.deepEqual(covered(), ALL);
});

test('a worker that was killed counts until its membership ends', async () => {
  const [survivor, killed] = [worker(), worker()];
  await killed.renew();
  await survivor.renew();
  assert.equal(survivor.shards.own.shards.length, SHARDS / 2);
  await twins.owner.run(text(`update work_members set ends_at = ends_at - $1 * interval '1 ms'`, [MEMBER_LEASE_MS]));
  await survivor.renew();
  assert.deepEqual(survivor.shards.own, EVERY_TURN);
});

test('memberships that ended long ago are deleted', async () => {
  await worker().renew();
  await twins.owner.run(sql`update work_members set ends_at = ends_at - interval '2 hours'`);
  await worker().renew();
  const left = await twins.owner.all(sql`select 1 from work_members`);
  assert.equal(left.length, 1);
});

const CLAIMS: Record<string, { column: string; of?: string; claim(db: Queryable, turn: Turn): Promise<unknown[]> }> = {
  attempts: { column: 'next_poll_at', claim: (db, turn) => claimDueAttempts(db, NOW, 1, 10, [], turn) },
  payments: { column: 'continue_at', claim: (db, turn) => claimContinuing(db, NOW, 1, 10, [], turn) },
  refunds: { column: 'next_poll_at', of: `way = 'refund'`, claim: (db, turn) => claimDueRefunds(db, NOW, 1, 10, [], turn) },
  returns: { column: 'next_step_at', claim: (db, turn) => claimDueReturns(db, NOW, 1, 10, [], turn) },
  transfers: { column: 'next_poll_at', claim: (db, turn) => claimDueTransfers(db, NOW, 1, 10, [], turn) },
};

for (const [table, { column, of = 'true', claim }] of Object.entries(CLAIMS))
  test(`${table}: a claim takes the rows of its shards, and those of others when they are late`, async () => {
    const due = async (ago_ms: number) => {
      await twins.owner.run(text(`update ${table} set ${column} = null`));
      const at = new Date(NOW.getTime() - ago_ms);
      return twins.owner.run(text(`update ${table} set ${column} = $1 where ${of} and team_id = $2`, [at, twins.team_id]));
    };
    const shard = Number(BigInt(twins.team_id) & 15n);
    const others = ALL.filter((one) => one !== shard);
    const count = await due(0);
    assert.ok(count > 0);
    assert.deepEqual(await claim(twins.owner, { shards: others, late_ms: 0 }), []);
    assert.equal((await claim(twins.owner, { shards: [shard], late_ms: 0 })).length, Math.min(count, 10));
    await due(LATE_MS - 1);
    assert.deepEqual(await claim(twins.owner, { shards: [shard], late_ms: LATE_MS }), []);
    await due(LATE_MS);
    assert.equal((await claim(twins.owner, { shards: [shard], late_ms: LATE_MS })).length, Math.min(count, 10));
  });

for (const [table, { claim }] of Object.entries(CLAIMS))
  test(`${table}: a claim by the service's role reads each shard in the order of an index, however many rows are due`, async () => {
    let sent: Sql | undefined;
    const all = async (statement: Sql) => {
      sent = statement;
      return [];
    };
    await claim({ all } as unknown as Queryable, EVERY_TURN);
    const plan = await twins.owner.transaction(async (tx) => {
      await tx.run(text('set local enable_seqscan = off'));
      await tx.run(text(`set local role ${ALL_TEAMS_ROLE}`));
      const rows = await tx.all<{ 'QUERY PLAN': string }>(text(`explain ${sent?.text}`, sent?.values as unknown[]));
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    assert.match(plan, new RegExp(`Index Scan using ${table}_shard_`));
    assert.doesNotMatch(plan, /Sort/);
  });

test('deliveries: a claim takes those of its shards, and those of others when they are late', async () => {
  const { owner, team_id } = twins;
  const shard = Number(BigInt(team_id) & 15n);
  const request = { after: '', rows: 10, endpoints: 99, lease_ms: 1, slots: 9, failing_slots: 1, failing_rows: 1, busy: {} };
  const claim = async (turn: Turn) => (await claimDue(owner, { ...request, turn })).rows.length;
  await owner.run(sql`delete from deliveries`);
  await owner.run(sql`
    insert into deliveries (team_id, endpoint_id, event_id, due_at) values (${team_id}, 'wh_shards', 'evt_shards', pirogue_now() - interval '1 s')`);
  assert.equal(await claim({ shards: ALL.filter((one) => one !== shard), late_ms: 0 }), 0);
  assert.equal(await claim({ shards: [shard], late_ms: 60_000 }), 0);
  assert.equal(await claim({ shards: [shard], late_ms: 500 }), 1);
});

test('a sweep takes late rows of others when its own do not fill a claim, at most once a second', async (t) => {
  t.mock.method(performance, 'now', () => 1_000);
  const asked: [Turn, number][] = [];
  let own_rows = 50;
  const own: Turn = { shards: [1], late_ms: 0 };
  const others: Turn = { shards: [2], late_ms: LATE_MS };
  const log = { error: assert.fail } as unknown as Log;
  const division = { own, others } as Shards;
  const steps: string[] = [];
  const sweep = callSweep<string>(
    {
      name: 'calls',
      environment: 'live',
      idle_ms: 1,
      claim: async (limit, _skip, turn) => {
        asked.push([turn, limit]);
        return Array<string>(turn === own ? own_rows : 3).fill(turn === own ? 'own' : 'late');
      },
      accountOf: () => 'one',
      step: async (row) => void steps.push(row),
      start_within_ms: 1_000,
      failure: 'it failed',
    },
    { log, shards: { live: division, sandbox: division } },
  );
  assert.equal(await sweep.round(), 50);
  assert.deepEqual(asked.splice(0), [[own, 50]]);
  own_rows = 2;
  steps.length = 0;
  assert.equal(await sweep.round(), 5);
  assert.deepEqual(asked.splice(0), [
    [own, 50],
    [others, 48],
  ]);
  assert.deepEqual(steps, ['own', 'own', 'late', 'late', 'late']);
  assert.equal(await sweep.round(), 2);
  assert.deepEqual(asked, [[own, 50]], 'once a second');
});

test('deliveries of others that are late are claimed though own ones are due in every round', async () => {
  const own: Turn = { shards: [1], late_ms: 0 };
  const others: Turn = { shards: [2], late_ms: LATE_MS };
  let looked = 0;
  let id = 0n;
  const all = async ({ text, values = [] }: Sql) => {
    if (!text.includes('with recursive clock')) return [];
    const isOwn = values.includes(own.shards);
    if (!isOwn) looked += 1;
    // Without its event nothing is sent: the delivery ends at once.
    return [
      { looked_at: 1, last: 'wh_1', next_due_ms: null, claim: 'claim', id: isOwn ? ++id : null, endpoint_id: 'wh_1', url: null },
    ];
  };
  const division = { own, others } as Shards;
  const deps = {
    ...{ clock: { now: () => 0 }, config: { webhook_timeout_ms: 1_000 }, log: { error: assert.fail } },
    ...{ shards: { live: division, sandbox: division }, wake: { listen: () => () => {} } },
  };
  const worker = startDeliveries(deps as never, { environment: 'live', db: { all } as unknown as Db });
  try {
    await until(
      async () => looked,
      (times) => times > 0,
    );
  } finally {
    await worker.stop();
  }
});
