import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changeUses, reserve, reserveAll } from '../../src/money/transaction-limits/service.ts';
import { Problem } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { startApi, until } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());
const { db } = api.deps.stores.live;

const AT = Date.UTC(2026, 10, 21, 23, 59, 59, 999);
let teams = 0n;
const newTeam = () => ++teams;

/** @param major XAF; level 1 takes 2,000,000 a day and 20,000,000 a month */
const take = (team_id: bigint, major: number, at = AT, currency = 'XAF') =>
  db.transaction((tx) =>
    reserve(tx, { level: 1, team_id, direction: 'payment', currency, amount_minor: BigInt(major) * 100n, at }),
  );
const used = async (team_id: bigint) => {
  const rows = await db.all<{ period: string; currency: string; used_minor: bigint }>(sql`
    select period, currency, used_minor from ceiling_uses where team_id = ${team_id} order by currency, period`);
  return rows.map(({ period, currency, used_minor }) => `${period} ${currency} ${used_minor / 100n}`);
};
const above = (what: RegExp) => (error: unknown) =>
  error instanceof Problem &&
  error.status === 422 &&
  error.details.error_code === 'ceiling_exceeded' &&
  what.test(error.details.errors?.amount?.[0] ?? '');

test('a use counts for its UTC day and month, up to the limit and no further', async () => {
  const team = newTeam();
  assert.equal(await take(team, 500_000), '2026-11-21');
  assert.equal(await take(team, 1_500_000), '2026-11-21');
  await assert.rejects(take(team, 1), above(/2000000 XAF for all payments of a UTC day/));
  assert.deepEqual(await used(team), ['2026-11 XAF 2000000', '2026-11-21 XAF 2000000'], 'what was refused is not counted');
});

test('days, currencies and teams have separate sums, also a millisecond after midnight', async () => {
  const team = newTeam();
  await take(team, 2_000_000);
  assert.equal(await take(team, 2_000_000, AT + 1), '2026-11-22');
  await take(team, 2_000_000, AT, 'XOF');
  await take(newTeam(), 2_000_000);
  assert.deepEqual(await used(team), [
    '2026-11 XAF 4000000',
    '2026-11-21 XAF 2000000',
    '2026-11-22 XAF 2000000',
    '2026-11 XOF 2000000',
    '2026-11-21 XOF 2000000',
  ]);
});

test('the month has its own limit, and starts again on the first', async () => {
  const team = newTeam();
  const day = (date: number) => Date.UTC(2026, 10, date);
  for (let date = 1; date <= 10; date++) await take(team, 2_000_000, day(date));
  await assert.rejects(take(team, 1, day(11)), above(/20000000 XAF for all payments of a UTC month/));
  assert.equal(await take(team, 1, Date.UTC(2026, 11, 1)), '2026-12-01');
});

test('a first use above the daily limit is rejected too', async () => {
  const team = newTeam();
  await assert.rejects(take(team, 2_000_001), above(/day/));
  assert.deepEqual(await used(team), []);
});

test('nothing is counted without a level, or on the level without limits', async () => {
  const team_id = newTeam();
  const wanted = { team_id, direction: 'payment', currency: 'XAF', amount_minor: 10n ** 15n } as const;
  for (const level of [null, 4]) assert.equal(await db.transaction((tx) => reserve(tx, { ...wanted, level, at: AT })), null);
  assert.deepEqual(await used(team_id), []);
});

test('concurrent uses take exactly what the limit allows', async () => {
  const team = newTeam();
  const results = await Promise.allSettled(Array.from({ length: 100 }, () => take(team, 70_000)));
  const taken = results.filter(({ status }) => status === 'fulfilled').length;
  assert.equal(taken, 28);
  for (const result of results) if (result.status === 'rejected') assert.ok(above(/day/)(result.reason), String(result.reason));
  assert.deepEqual(await used(team), ['2026-11 XAF 1960000', '2026-11-21 XAF 1960000']);
});

for (const used_before of [0, 1_000])
  test(`a use that waits for another one, after ${used_before} of the day, is compared with what that one leaves`, async () => {
    const team = newTeam();
    if (used_before > 0) await take(team, used_before);
    let second: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      const amount_minor = 150_000_000n;
      await reserve(tx, { level: 1, team_id: team, direction: 'payment', currency: 'XAF', amount_minor, at: AT });
      second = take(team, 600_000).catch((error: unknown) => error);
      await until(
        () =>
          db.all(sql`
          select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`),
        (waiting) => waiting.length > 0,
      );
    });
    assert.ok(above(/day/)(await second), String(await second));
    assert.deepEqual(await used(team), [`2026-11 XAF ${1_500_000 + used_before}`, `2026-11-21 XAF ${1_500_000 + used_before}`]);
  });

test('concurrent uses and releases: the sums are exact, without deadlock', async () => {
  const [a, b] = [newTeam(), newTeam()];
  const give = (team_id: bigint) =>
    ({ team_id, direction: 'payment', currency: 'XAF', day: '2026-11-21', amount_minor: -1_000n }) as const;
  await Promise.all([take(a, 1_000), take(b, 1_000)]);
  await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      // In both orders, and both at once: rows are locked in one order whatever comes in.
      await db.transaction((tx) => changeUses(tx, i % 2 ? [give(a), give(b), give(a)] : [give(b), give(a), give(a)]));
      await take(a, 20);
      await take(b, 10);
    }),
  );
  assert.deepEqual(
    [await used(a), await used(b)],
    [
      ['2026-11 XAF 1000', '2026-11-21 XAF 1000'],
      ['2026-11 XAF 1000', '2026-11-21 XAF 1000'],
    ],
  );
});

test('a late success is counted even above the limit', async () => {
  const team_id = newTeam();
  await take(team_id, 2_000_000);
  const late = { team_id, direction: 'payment', currency: 'XAF', day: '2026-11-21', amount_minor: 5_000n } as const;
  await db.transaction((tx) => changeUses(tx, [late]));
  assert.deepEqual(await used(team_id), ['2026-11 XAF 2000050', '2026-11-21 XAF 2000050']);
});

test('amounts that are reserved at once fit together or not at all, each with its own currency, day and team', async () => {
  const [a, b] = [newTeam(), newTeam()];
  const one = (team_id: bigint, major: number, currency = 'XAF', at = AT) =>
    ({ level: 1, team_id, direction: 'payment', currency, amount_minor: BigInt(major) * 100n, at }) as const;
  const reserveAtOnce = (...wanted: Parameters<typeof reserveAll>[1]) => db.transaction((tx) => reserveAll(tx, wanted));
  const unlimited = { ...one(a, 99_000_000), level: null };
  const all = await reserveAtOnce(
    one(a, 1_000_000),
    one(b, 5),
    one(a, 900_000),
    one(a, 7, 'XOF'),
    one(a, 3, 'XAF', AT + 1),
    unlimited,
  );
  assert.deepEqual(all, ['2026-11-21', '2026-11-21', '2026-11-21', '2026-11-21', '2026-11-22', null]);
  assert.deepEqual(await used(a), [
    ...['2026-11 XAF 1900003', '2026-11-21 XAF 1900000', '2026-11-22 XAF 3'],
    ...['2026-11 XOF 7', '2026-11-21 XOF 7'],
  ]);
  const [first, other, second] = await reserveAtOnce(one(a, 60_000), one(b, 6), one(a, 60_000));
  assert.ok(above(/day/)(first) && above(/day/)(second), 'either would fit alone');
  assert.equal(other, '2026-11-21');
  assert.deepEqual(await reserveAtOnce(), []);
});

test('what is released for one direction and currency leaves the other direction and the other currency alone', async () => {
  const team_id = newTeam();
  const day = '2026-11-21';
  const uses = (['payment', 'transfer'] as const).flatMap((direction) =>
    ['XAF', 'XOF'].map((currency) => ({ direction, currency })),
  );
  for (const use of uses) {
    const wanted = { ...use, level: 1, team_id, amount_minor: 100_000n, at: AT };
    assert.equal(await db.transaction((tx) => reserve(tx, wanted)), day);
  }
  await db.transaction((tx) => changeUses(tx, [{ team_id, direction: 'payment', currency: 'XAF', day, amount_minor: -30_000n }]));
  const rows = await db.all<{ use: string; used_minor: bigint }>(sql`
    select concat_ws(' ', direction, currency, period) as use, used_minor from ceiling_uses where team_id = ${team_id} order by 1`);
  const expected = uses.flatMap(({ direction, currency }) =>
    ['2026-11', day].map((period) => ({
      use: `${direction} ${currency} ${period}`,
      used_minor: direction === 'payment' && currency === 'XAF' ? 70_000n : 100_000n,
    })),
  );
  assert.deepEqual(rows, expected);
});

test('amounts that are reserved at once on two levels fit within the lower limits', async () => {
  const team_id = newTeam();
  const one = (level: number) =>
    ({ level, team_id, direction: 'payment', currency: 'XAF', amount_minor: 150_000_000n, at: AT }) as const;
  const both = await db.transaction((tx) => reserveAll(tx, [one(2), one(1)]));
  assert.ok(both.every(above(/day/)), 'the limit of level 2 would hold both');
});
