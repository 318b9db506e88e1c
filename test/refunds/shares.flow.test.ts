import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { draw } from '../../src/money/settlement/draw.ts';
import { insertItems } from '../../src/money/settlement/store.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { until } from '../setup/api.ts';
import { LOST, PENDING, REFUSED, RefundShop, SUCCEEDED } from './support.ts';

/** From whom a refund takes, to whom it returns, and what it claims while it is under way. */
let shop: RefundShop;
before(async () => {
  shop = await RefundShop.open();
});
after(() => shop.close());
beforeEach(() => shop.begin());

async function connected(split: object): Promise<string> {
  const body = { name: 'Boutique', email: 'b@shop.example', split };
  return (await shop.api.call('POST', '/accounts', { key: shop.key, body })).body.account.id;
}

test('half of a refund of a split payment fails: each party gets back in proportion to what it gave', async () => {
  const account = await connected({ type: 'percentage', value: 10 });
  const payment = await shop.paid(900_000, { 'x-sync': account });
  shop.provider.submits.set(1, [REFUSED]);
  const { id } = await shop.refund(payment, 700_000);
  await shop.become(id, 'failed');
  // Of the 450,000 that were refunded the team gave its tenth of the net amount and the fee, 53,100.
  const { pending, [`pending:${account}`]: other } = await shop.books();
  assert.deepEqual([pending, other], [35_100, 396_900]);
  assert.deepEqual(await shop.waiting(), { '': 35_100, [account]: 396_900 });
});

test('parts of a split refund are whole francs, and so is what returns', async () => {
  const account = await connected({ type: 'percentage', value: 12.5 });
  const payment = await shop.paid(900_000, { 'x-sync': account });
  shop.provider.submits.set(1, [REFUSED]);
  await shop.become((await shop.refund(payment, 707_777)).id, 'failed');
  await shop.become((await shop.refund(payment, 333)).id, 'succeeded');
  for (const [name, amount] of Object.entries(await shop.books())) assert.ok(Number.isInteger(amount), `${name}: ${amount}`);
});

test('what a failed refund returns to available repays first what the platform advanced', async () => {
  const [refunded, disputed] = [await shop.paid(100_000), await shop.paid(10_000)];
  shop.clock.advance(25 * 3_600_000);
  await retentionSweep(shop.api.deps, shop.store).round();
  shop.provider.submits.set(0, [PENDING]);
  shop.provider.reads.set(0, [REFUSED]);
  const { id } = await shop.refund(refunded, 100_000);
  // The worker leaves out a refund whose answer is being stored.
  await shop.answered(id);
  await openDispute(shop.api.deps, shop.store, { team_id: shop.merchant.team.id, payment_id: disputed, reason: 'fraud' });
  assert.deepEqual([(await shop.books()).available, (await shop.books()).credit], [undefined, -2_200]);
  await shop.work();
  const { available, credit, refund_clearing } = await shop.books();
  assert.deepEqual([available, credit, refund_clearing], [97_800, undefined, undefined]);
});

test('the cap on credit is one for a team and its connected accounts together', async () => {
  const team_id = shop.merchant.team.id;
  const now = new Date(shop.clock.now());
  const payment_id = newId('trx', 'live', shop.clock.now());
  const released = {
    team_id,
    payment_id,
    currency: 'XAF',
    share_minor: 50_000n,
    amount_minor: 0n,
    release_at: now,
    released_at: now,
  };
  await shop.owner.run(sql`
    insert into payments (team_id, id, amount_minor, currency, key_id, request_id, created_at, updated_at, expires_at)
    values (${team_id}, ${payment_id}, 100000, 'XAF', 'key_1', 'req_1', ${now}, ${now}, ${now})`);
  await shop.store.db.transaction((tx) =>
    insertItems(tx, [
      { ...released, account_id: '' },
      { ...released, account_id: 'acct_1' },
    ]),
  );
  const drawn = (amount_minor: bigint) =>
    shop.store.db.transaction((tx) => draw(tx, { team_id, payment_id, currency: 'XAF', amount_minor }, 50_000n));
  assert.equal(await drawn(50_200n), null);
  assert.deepEqual(await drawn(50_000n), [
    { account_id: '', bucket: 'credit', amount_minor: 25_000n },
    { account_id: 'acct_1', bucket: 'credit', amount_minor: 25_000n },
  ]);
});

test('a part that went through counts once: the rest of the payment can be refunded while others are under way', async () => {
  const payment = await shop.paid(1_500_000);
  shop.provider.submits.set(1, [PENDING]);
  const { id } = await shop.refund(payment, 1_400_000);
  await shop.parts(id, ['succeeded', 'sent', 'waiting']);
  const refund = (amount: number) =>
    shop.api.call('POST', '/refunds', { key: shop.key, body: { payment, amount, reason: 'duplicate' } });
  assert.equal((await refund(100_001)).status, 422);
  assert.equal((await refund(100_000)).status, 201);
});

test('"not found" is no evidence before ten minutes from the part\u2019s own sending', async () => {
  const payment = await shop.paid(900_000);
  shop.provider.submits.set(0, [LOST]);
  shop.provider.reads.set(0, [...Array(6).fill(LOST), SUCCEEDED]);
  shop.provider.submits.set(1, [LOST]);
  shop.provider.reads.set(1, Array(20).fill({ kind: 'not_found' }));
  const { id } = await shop.refund(payment, 800_000);
  await shop.said(id, 'no answer');
  await shop.work(9, 300_000);
  await shop.parts(id, ['succeeded', 'sent']);
  assert.deepEqual(shop.provider.sent, [0, 1]);
});

test('a part that its provider does not know is sent again with the same key only where that cannot refund twice', async () => {
  for (const [idempotency, sent] of [
    ['replays', [0, 0]],
    ['none', [0]],
  ] as const) {
    await shop.begin();
    shop.provider.idempotency = idempotency;
    const payment = await shop.paid(400_000);
    shop.provider.submits.set(0, [LOST]);
    shop.provider.reads.set(0, Array(12).fill({ kind: 'not_found' }));
    const { id } = await shop.refund(payment, 300_000);
    await shop.said(id, 'no answer');
    await shop.work(5, 300_000);
    assert.deepEqual(shop.provider.sent, sent, idempotency);
  }
});

test('a part that was sent again and is rejected may have arrived the first time, unless the provider repeats its response', async () => {
  for (const [idempotency, status] of [
    ['replays', 'failed'],
    ['conflicts', 'succeeded'],
  ] as const) {
    await shop.begin();
    shop.provider.idempotency = idempotency;
    const payment = await shop.paid(400_000);
    shop.provider.submits.set(0, [LOST, REFUSED]);
    shop.provider.reads.set(0, [...Array(5).fill({ kind: 'not_found' }), SUCCEEDED]);
    const { id } = await shop.refund(payment, 300_000);
    await shop.said(id, 'no answer');
    await shop.work(9, 180_000);
    assert.deepEqual([shop.provider.sent, await shop.statuses(id)], [[0, 0], [status]], idempotency);
  }
});

test('a part that was turned away the first time ends with the rejection of the second', async () => {
  shop.provider.idempotency = 'conflicts';
  const payment = await shop.paid(400_000);
  shop.provider.submits.set(0, [{ kind: 'unavailable', message: 'busy' }, REFUSED]);
  const { id } = await shop.refund(payment, 300_000);
  await shop.said(id, 'busy');
  await shop.work(2);
  assert.deepEqual([shop.provider.sent, await shop.statuses(id)], [[0, 0], ['failed']]);
});

test('"unavailable" after a poll proves nothing: the part is not sent again', async () => {
  const payment = await shop.paid(400_000);
  const answer = Promise.withResolvers<{ kind: 'unavailable'; message: string }>();
  shop.provider.submits.set(0, [answer.promise]);
  shop.provider.reads.set(0, Array(20).fill(PENDING));
  const { id } = await shop.refund(payment, 300_000);
  await shop.parts(id, ['sent']);
  await shop.work();
  answer.resolve({ kind: 'unavailable', message: 'busy' });
  await shop.said(id, 'busy');
  await shop.work();
  assert.deepEqual([await shop.statuses(id), shop.provider.sent], [['sent'], [0]]);
});

test('a poll that fails proves nothing: the part is not sent again', async () => {
  const payment = await shop.paid(400_000);
  shop.provider.submits.set(0, [PENDING]);
  shop.provider.reads.set(0, [...Array(5).fill({ kind: 'unavailable', message: 'busy' }), SUCCEEDED]);
  const { id } = await shop.refund(payment, 300_000);
  await shop.parts(id, ['sent']);
  await shop.work(3, 600_000);
  assert.deepEqual([await shop.statuses(id), shop.provider.sent], [['sent'], [0]]);
  // A round leaves out a refund whose answer is being stored.
  await until(
    async () => {
      await shop.work(1, 600_000);
      return (await shop.statuses(id)).join();
    },
    (statuses) => statuses === 'succeeded',
  );
  assert.deepEqual(shop.provider.sent, [0]);
});

test('small refunds of a split payment, one after the other, take from each party by its share', async () => {
  const account = await connected({ type: 'percentage', value: 40 });
  const payment = await shop.paid(100_000, { 'x-sync': account });
  for (let n = 0; n < 10; n++) await shop.become((await shop.refund(payment, 1)).id, 'succeeded');
  shop.provider.submits.set(0, [REFUSED, REFUSED, REFUSED]);
  for (let n = 0; n < 3; n++) await shop.become((await shop.refund(payment, 1)).id, 'failed');
  assert.deepEqual(await shop.waiting(), { '': 39_196, [account]: 58_794 }, 'what failed does not count');
});
