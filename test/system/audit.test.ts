import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import type { Entry } from '../../simulators/kit/book.ts';
import type { Simulator } from '../../simulators/kit/simulator.ts';
import { Market, type Shop } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';
import { differences, leftOpen } from './audit.ts';

/*
 * The audit at the end of `npm run faults` and `npm run soak` sees each kind of difference that it is there for.
 */

let market: Market;
let shop: Shop;
let payment: string;
/** What the provider really collected. */
let collected: Entry;

before(async () => {
  market = await Market.open();
  shop = await market.shop('live', new SimulatedProvider('simulated', { collect: ['at_once'] }));
  payment = await shop.paid({ amount: 5_000 });
  const [attempt] = await shop.store.db.all<{ provider_key: string; amount_minor: bigint; currency: string }>(sql`
    select provider_key, amount_minor, currency from attempts where status = 'succeeded'`);
  assert.ok(attempt);
  collected = entry({ key: attempt.provider_key, amount_minor: attempt.amount_minor, currency: attempt.currency });
});
after(() => market.api.stop());

function entry(of: Pick<Entry, 'key' | 'amount_minor' | 'currency'> & Partial<Entry>): Entry {
  return {
    ...{
      kind: 'collect',
      msisdn: '237650000000',
      of: null,
      callback_url: null,
      wire: {},
      ref: '1',
      state: 'succeeded',
      word: null,
    },
    ...{ moved: true, created_at: 0, settled_at: 0, visible_at: 0, stuck: false, ...of },
  };
}

function audited(entries: Entry[], orders = 1): Promise<string[]> {
  const simulators = [{ book: { entries: () => entries } }] as unknown as Pick<Simulator, 'book'>[];
  return differences({ live: shop.store.db, simulators }, orders);
}

test('books that agree have no difference', async () => {
  assert.deepEqual(await audited([collected]), []);
  assert.deepEqual(await audited([collected, entry({ ...collected, key: 'declined', moved: false })]), []);
});

test('each difference between the provider and the books is named', async () => {
  const found = async (entries: Entry[], orders?: number) =>
    [...new Set((await audited(entries, orders)).map((line) => line.split(':')[0]))].sort();
  assert.deepEqual(await found([]), ['LEDGER', 'MISREPORTED']);
  assert.deepEqual(await found([collected, entry({ ...collected, key: 'other' })]), ['LEDGER', 'LOST']);
  assert.deepEqual(await found([collected, collected]), ['LEDGER', 'MOVED TWICE']);
  assert.deepEqual(await found([{ ...collected, amount_minor: collected.amount_minor + 1n }]), ['AMOUNT', 'LEDGER']);
  assert.deepEqual(await found([{ ...collected, currency: 'XOF' }]), ['AMOUNT', 'LEDGER']);
  assert.deepEqual(await found([collected], 2), ['ORDERS']);
});

test('amounts that make up for each other in two currencies are no agreement', async () => {
  const { amount_minor } = collected;
  const lines = await audited([collected, entry({ key: 'in', amount_minor, currency: 'XOF' })]);
  assert.ok(
    lines.some((line) => /^LEDGER: clearing holds 0 XOF/.test(line)),
    lines.join('\n'),
  );
});

test('a refund that nobody looks after any more is still open', async () => {
  assert.deepEqual(
    Object.values(await leftOpen(shop.store.db)).filter((count) => count > 0),
    [],
  );
  const refund = await shop.refund(payment, 1_000);
  await shop.store.db.run(sql`update refunds set next_poll_at = null where id = ${refund}`);
  assert.equal((await leftOpen(shop.store.db)).refunds, 1);
});
