import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type BalanceKey, MemoryBalanceCache } from '../../src/core/balance/cache.ts';
import type { Balance } from '../../src/core/balance/schema.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';

/** What is remembered is remembered for what was asked only. */
let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

test('a cached balance is that of its environment, team, currency and account', async () => {
  const clock = new FakeClock();
  const cache = new MemoryBalanceCache(clock);
  const KEY: BalanceKey = { environment: 'live', team_id: 1n, currency: 'XAF', account_id: null };
  const keys: BalanceKey[] = [
    KEY,
    { ...KEY, environment: 'sandbox' },
    { ...KEY, team_id: 2n },
    { ...KEY, currency: 'XOF' },
    { ...KEY, account_id: 'acct_1' },
    { ...KEY, account_id: 'acct_2' },
  ];
  for (const [total, key] of keys.entries()) await cache.get(key, async () => ({ total }) as Balance);
  for (const [total, key] of keys.entries()) assert.equal((await cache.get(key, () => assert.fail('it is cached'))).total, total);
  clock.advance(180_000);
  assert.equal((await cache.get(KEY, async () => ({ total: 9 }) as Balance)).total, 9);
});

/** Lines that are so old that their number is remembered: `[debit, credit, kind, currency]`. */
const OLD = [
  ['clearing', 'hold', 'payment.succeeded', 'XAF'],
  ['clearing', 'hold', 'payment.succeeded', 'XOF'],
  ['hold', 'available', 'hold', 'XAF'],
  ['available', 'hold', 'other', 'GHS'],
  ['clearing', 'available', 'available', 'GHS'],
  ['clearing', 'pending', 'pending', 'XAF'],
] as const;

test('the total of a history is that of its filters, whatever was counted before', async () => {
  const { sandbox, live } = api.deps.stores;
  const made = await api.call('POST', '/accounts', { body: { name: 'Stall 7', email: 'stall@shop.example' } });
  const account = made.body.account.id as string;
  const lines = [...OLD.map((line) => [...line]), ['hold', `hold:${account}`, 'hold', 'XAF']];
  const insert = async (store: typeof live, team_id: bigint, [debit, credit, kind, currency]: string[], n: number) =>
    store.db.run(sql`
      with made as (
        insert into journals (team_id, kind, source_id, subject_id, created_at)
        values (${team_id}, ${kind}, ${`s${n}`}, 'x', pirogue_now() - interval '1 hour') returning team_id, id
      ) insert into postings select team_id, id, 1, ${currency}, ${debit}, ${credit}, 100 from made`);
  const other = await api.newMerchant();
  for (const [n, line] of lines.entries()) await insert(sandbox, api.team.id, line, n);
  await insert(live, api.team.id, lines[0] as string[], 0);
  for (const n of [0, 1]) await insert(sandbox, other.team.id, lines[n] as string[], n);

  const { secret } = api.keys.sandbox;
  const total = async (query: string, key = secret, headers: Record<string, string> = {}) =>
    (await api.call('GET', `/balance/history${query}`, { key, headers })).body.meta.total;
  const wanted: [string, number][] = [
    ...([
      ['', 9],
      ['?bucket=hold', 5],
      ['?kind=hold', 3],
      ['?bucket=available', 3],
      ['?kind=available', 1],
    ] as [string, number][]),
    ...([
      ['?currency=XAF', 5],
      ['?currency=GHS', 3],
      ['?bucket=hold&kind=hold', 2],
      ['?bucket=hold&currency=XAF', 3],
    ] as [string, number][]),
    ...([
      ['?date_from=2999-01-01', 0],
      ['?date_to=2020-01-01', 0],
      ['?date_from=2020-01-01', 9],
      ['?date_to=2999-01-01', 9],
    ] as [string, number][]),
  ];
  for (const _ of ['counted', 'remembered']) {
    for (const [query, number] of wanted) assert.equal(await total(query), number, query);
    assert.equal(await total('', secret, { 'x-sync': account }), 1);
    assert.equal(await total('', api.keys.live.secret), 1);
    assert.equal(await total('', other.sandbox.secret), 2);
  }
  const wrong = await api.call('GET', '/balance/history?date_from=2026-03-02&date_to=2026-03-01');
  assert.deepEqual(wrong.body.errors, { date_to: ['must not be before date_from'] });
});
