import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../src/kit/sql.ts';
import { countTeam } from '../../src/core/figures/count.ts';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { archive, countArchived, openOwner } from '../archive/fixture.ts';
import { Market } from '../setup/market.ts';
import { FATES, SimulatedProvider } from '../setup/simulated-provider.ts';
import { count, Observer, stored } from './recount.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let market: Market;
let owner: DbPool;
before(async () => {
  market = await Market.open();
  owner = openOwner(market.api.databases.live);
});
after(async () => {
  await owner.close();
  await market.api.stop();
});

const fates = fc.array(fc.constantFrom(...FATES), { minLength: 4, maxLength: 8 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pay' as const), amount: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refund' as const), of: fc.nat(), part: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('late' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.constantFrom(1, 4, 7, 40, 130, 1_500) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('count' as const) }) },
);

test('after any sequence of operations the figures equal those that the API shows one by one', async () => {
  const sequences = fc.record({ collect: fates, refund: fates, steps: fc.array(step, { minLength: 15, maxLength: 40 }) });
  const property = fc.asyncProperty(sequences, async ({ collect, refund, steps }) => {
    const simulated = new SimulatedProvider('simulated', { collect, refund });
    const own = await market.shop('live', simulated);
    const observer = new Observer(own);
    const paid: string[] = [];
    const pass = async (ms: number) => {
      await own.pass(ms);
      await observer.look();
    };
    for (const one of steps) {
      if (one.kind === 'pass') await pass(one.minutes * MINUTE_MS);
      if (one.kind === 'pay' || one.kind === 'leave' || one.kind === 'cancel') {
        const id = await own.order({ amount: one.kind === 'pay' ? one.amount * 100 : 500, currency: 'XAF' });
        observer.watch(id);
        if (one.kind === 'pay') {
          await own.charge(id);
          paid.push(id);
        }
        if (one.kind === 'cancel') await own.call('DELETE', `/payments/${id}`);
      }
      if (one.kind === 'refund' && paid.length > 0) {
        const id = paid[one.of % paid.length] as string;
        observer.watchRefund(await own.refund(id, one.part ? 100 : undefined), id);
      }
      if (one.kind === 'late') {
        const late = simulated.succeedLate();
        if (late) await own.notify(late.key);
      }
      await observer.look();
      if (one.kind !== 'count') continue;
      await count(market);
      assert.deepEqual(await stored(own), observer.hours);
    }
    // Whatever was still open ends, and every hour is finished.
    for (const minutes of [1, 2, 5, 10, 120, 1_500, 1_500]) await pass(minutes * MINUTE_MS);
    market.clock.advance(2 * HOUR_MS);
    await count(market);
    assert.deepEqual(await stored(own), observer.hours);
    const parts = await own.store.db.all(sql`select 1 from payment_hours where team_id = ${own.team_id} and part > 0`);
    assert.equal(parts.length, 0, 'of a finished hour there is one part');
  });
  await fc.assert(property, { numRuns: Number(process.env.PROPERTY_RUNS ?? 4), endOnFailure: true });
});

test('an event that is committed late is counted when its hour is finished', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated'));
  const observer = new Observer(own);
  // In the middle of an hour, so that six minutes earlier is the same hour.
  market.clock.advance(HOUR_MS - (market.clock.now() % HOUR_MS) + 30 * MINUTE_MS);
  const pay = async () => {
    const id = await own.paid({ amount: 5_000 });
    observer.watch(id);
    await observer.look();
  };
  await pay();
  await count(market);
  market.clock.advance(-8 * MINUTE_MS);
  await pay();
  market.clock.advance(8 * MINUTE_MS);
  await count(market);
  assert.notDeepEqual(await stored(own), observer.hours);
  market.clock.advance(HOUR_MS);
  await count(market);
  assert.deepEqual(await stored(own), observer.hours);
});

test('more events than one statement counts are counted in several, in the open hour and when it is finished', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated'));
  const observer = new Observer(own);
  for (let i = 0; i < 5; i++) {
    const id = await own.paid({ amount: 1_000 + i });
    observer.watch(id);
    await observer.look();
    if (i % 2 === 0) observer.watchRefund(await own.refund(id, 500), id);
    await own.pass(MINUTE_MS);
  }
  await observer.look();
  const { db, environment } = own.store;
  const team = { environment, team_id: own.team_id };
  const [{ events = 0 } = {}] = await owner.all<{ events: number }>(
    sql`select count(*)::integer as events from events where team_id = ${own.team_id}`,
  );
  assert.ok(events > 20, `only ${events} events`);
  // The mark of an earlier count, before which no transaction is open any more.
  const settle = () =>
    owner.run(sql`
      insert into payment_counts (team_id, final_to, counted_id, counted_at, marked_at, marked_xid)
      values (${own.team_id}, '-infinity', '', 'epoch', ${new Date(market.clock.now())}, '3')
      on conflict (team_id) do update set marked_at = excluded.marked_at, marked_xid = excluded.marked_xid`);
  await settle();
  for (const max_events of [1, 3, events - 1, events, events + 1]) {
    await countTeam(db, team, market.clock.now(), max_events);
    assert.deepEqual(await stored(own), observer.hours);
  }
  market.clock.advance(3 * HOUR_MS);
  let rounds = 0;
  for (let more = true; more; rounds++) {
    await settle();
    more = await countTeam(db, team, market.clock.now(), 1);
    assert.deepEqual(await stored(own), observer.hours, 'between the parts of an hour');
  }
  assert.ok(rounds > 1, 'the hour was finished in one round');
  assert.deepEqual(await stored(own), observer.hours);
  const parts = await owner.all(sql`select 1 from payment_hours where team_id = ${own.team_id} and part > 0`);
  assert.equal(parts.length, 0, 'of a finished hour there is one part');
});

test('an archived payment that is refunded counts in the hour of its refund, and what was counted stays', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated'));
  const observer = new Observer(own);
  const id = await own.paid({ amount: 20_000 });
  observer.watch(id);
  await observer.look();
  for (const days of [2, 8, 181]) await own.pass(days * DAY_MS);
  await own.pass(1_000);
  await archive(market.api, owner, 'live', own.team_id, new Date(market.clock.now() - DAY_MS));
  assert.equal(await countArchived(owner, own.team_id), 1);
  observer.watchRefund(await own.refund(id, 5_000), id);
  for (let round = 0; (await own.shown(id)).status !== 'partially_refunded'; round++) {
    assert.ok(round < 30, 'the refund never succeeds');
    await own.pass(MINUTE_MS);
  }
  await observer.look();
  await count(market);
  assert.equal(Object.keys(observer.hours).length, 2);
  assert.deepEqual(await stored(own), observer.hours);
});

test('two workers at once count once, and a team without new events is not counted', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated'));
  const observer = new Observer(own);
  observer.watch(await own.paid({ amount: 5_000 }));
  await observer.look();
  await Promise.all([count(market), count(market), count(market)]);
  await count(market);
  assert.deepEqual(await stored(own), observer.hours);
  market.clock.advance(2 * HOUR_MS);
  await count(market);
  const read = () => owner.maybe<{ at: Date }>(sql`select counted_at as at from payment_counts where team_id = ${own.team_id}`);
  const counted = await read();
  market.clock.advance(5 * HOUR_MS);
  await count(market);
  assert.deepEqual(await read(), counted);
});

test('an event whose commit takes hours is counted: its hour is finished after the transaction has ended', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated'));
  const observer = new Observer(own);
  const pay = async () => {
    observer.watch(await own.paid({ amount: 5_000 }));
    await observer.look();
  };
  await pay();
  await count(market);
  const { db, environment } = own.store;
  const visit = () => countTeam(db, { environment, team_id: own.team_id }, market.clock.now());
  const opened = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  // As a transaction whose commit waits for a standby, with an event that nobody sees: it is the one of the payment below.
  const slow = owner.transaction(async (tx) => {
    await tx.run(sql`select pg_current_xact_id()`);
    opened.resolve();
    await answered.promise;
  });
  await opened.promise;
  const began = market.clock.now();
  for (let passed = 0; passed < 4; passed++) {
    market.clock.advance(HOUR_MS);
    await visit();
  }
  const later = market.clock.now();
  market.clock.advance(began - later);
  await pay();
  market.clock.advance(later - began);
  answered.resolve();
  await slow;
  await count(market);
  assert.deepEqual(await stored(own), observer.hours);
});
