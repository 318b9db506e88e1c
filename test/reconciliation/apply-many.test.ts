import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Store } from '../../src/platform/db/stores.ts';
import { sql } from '../../src/kit/sql.ts';
import { AnotherAccount } from '../../src/core/reconciliation/service.ts';
import { recordPaidLate } from '../../src/core/transfers/late.ts';
import { bound, Ledgers, line, NOON } from './fixture.ts';

/** What is set aside of many lines, of lines that look alike, and of operations that change meanwhile. */
let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());
afterEach(() => books.clear());

const APPLY = { apply: true };
const booked = () => books.booked();

test('more breaks of one kind than one page holds are all set aside', async () => {
  const lines = Array.from({ length: 501 }, (_, n) => line('collect', `stray-${n}`));
  const { breaks } = await books.reconcile(lines, { ...APPLY, force: true });
  assert.deepEqual([breaks.filter(({ state }) => state === 'held').length, (await booked()).length], [501, 501]);
});

test('two movements whose keys and references read the same side by side are both set aside', async () => {
  await books.reconcile([line('collect', 'K:1', { ref: 'R' }), line('collect', 'K', { ref: '1:R' })], APPLY);
  const one = 'reconciliation.unexpected:collect 100000 XAF clearing > hold';
  assert.deepEqual(await booked(), [one, one]);
});

test('an attempt that succeeds between the comparison and the correction is compared again', async () => {
  const { id, key } = await books.attempt('failed');
  let begun = 0;
  const transaction: Store['db']['transaction'] = async (work) => {
    begun += 1;
    if (begun === 2) await books.db.run(sql`update attempts set status = 'succeeded' where id = ${id}`);
    return books.db.transaction(work);
  };
  const store: Store = { environment: 'live', db: { ...bound(books.store.db), transaction } };
  const { breaks } = await books.reconcile([line('collect', key, { amount: '400' })], APPLY, store);
  assert.deepEqual(
    breaks.map(({ kind, state, outcome }) => [kind, state, outcome]),
    [['late', 'refused', 'reported meanwhile: compare again']],
  );
  assert.deepEqual(await booked(), []);
});

test('a payout that was paid late is missing in no statement that ends before', async () => {
  const { id } = await books.transfer('failed', 'closed');
  const ref = { team_id: books.team_id, id };
  assert.ok(await books.db.transaction((tx) => recordPaidLate(tx, NOON + 7_200_000, ref, { provider_ref: 'F1' })));
  assert.deepEqual((await books.reconcile([])).breaks, []);
});

test('a statement of which as many lines match as are unknown is applied; with one more unknown line it is not', async () => {
  const known = await Promise.all(Array.from({ length: 20 }, () => books.attempt('succeeded')));
  const lines = [
    ...known.map(({ key }) => line('collect', key)),
    ...Array.from({ length: 20 }, (_, n) => line('collect', `stray-${n}`)),
  ];
  await assert.rejects(books.reconcile([...lines, line('collect', 'stray-20')], APPLY), AnotherAccount);
  await books.reconcile(lines, APPLY);
  assert.equal((await booked()).length, 20);
});
