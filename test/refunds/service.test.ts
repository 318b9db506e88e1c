import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { applyRefund, markSent } from '../../src/core/refunds/apply.ts';
import type { CreateRefundBody, RefundRow } from '../../src/core/refunds/schema.ts';
import { coverLater, createRefund, needsPayer, pollRefund } from '../../src/core/refunds/service.ts';
import { must } from '../../src/kit/errors.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import type { Provider, Refunds } from '../../src/providers/adapters/contract.ts';
import type { Call } from '../../src/tenants/api/route.ts';
import { untilLocked } from '../setup/locks.ts';
import { LOST, PENDING, RefundShop } from './support.ts';

/** What keeps a refund from being made, and how one that waits for money or for its provider goes on. */
let shop: RefundShop;
let payment: string;
before(async () => {
  shop = await RefundShop.open();
  await shop.begin();
  payment = await shop.paid(900_000);
});
after(() => shop.close());

const refunds = (changes: Partial<Refunds>): Refunds => ({
  ...{ extent: 'partial', submit: async () => PENDING, read: async () => PENDING },
  ...changes,
});

/** The response to a refund while the provider refunds so. */
async function answered(t: TestContext, amount: number, able: Partial<Refunds> | null) {
  const { providers } = shop.api.deps;
  const provider = { keyOf: (id: string) => id, refunds: able ? refunds(able) : undefined } as unknown as Provider;
  const byAccount = t.mock.method(providers, 'byAccount', async () => provider);
  const answer = await shop.api.call('POST', '/refunds', { key: shop.key, body: { payment, amount, reason: 'duplicate' } });
  byAccount.mock.restore();
  return [answer.status, answer.body.errors];
}
const because = (text: string) => [422, { payment: [text] }];
const UNABLE = because('was collected by a provider that cannot refund: pay it out instead');
const WHOLE = because('was collected by a provider that can only refund the whole amount');
const FEE_ON_TOP = because(
  'was collected, with a fee on top that is not refunded, by a provider that can only refund the whole charge: pay it out instead',
);
const NO_NUMBER = because('was paid from a number that is no longer kept, to which it would be refunded: pay it out instead');

test('422 says why the provider cannot refund this way, and nothing is made', async (t) => {
  assert.deepEqual(await answered(t, 1_000, null), UNABLE);
  assert.deepEqual(await answered(t, 1_000, { extent: 'full' }), WHOLE);
  const nothing = async () => (await shop.owner.all(sql`select id from refunds where payment_id = ${payment}`)).length;
  await shop.owner.run(sql`update attempts set payer_hash = null, payer = null where payment_id = ${payment}`);
  assert.deepEqual(await answered(t, 1_000, { needsPayer: () => true }), NO_NUMBER);
  assert.equal(await nothing(), 0);
  const kept = await answered(t, 1_000, { needsPayer: () => false });
  assert.deepEqual(kept, [201, undefined]);
  assert.equal(await nothing(), 1);
});

test('502 while the account of the payment cannot be used, nothing is made, and the key is free', async (t) => {
  const body = { payment, amount: 1_000, reason: 'duplicate' };
  const send = () =>
    shop.api.call('POST', '/refunds', { key: shop.key, body, headers: { 'Idempotency-Key': 'refund-while-unusable' } });
  const made = async () => (await shop.owner.all(sql`select id from refunds where payment_id = ${payment}`)).length;
  const before = await made();
  const byAccount = t.mock.method(shop.api.deps.providers, 'byAccount', async () => undefined);
  const { status, body: answer } = await send();
  byAccount.mock.restore();
  const message = 'The account that collected the payment cannot be used at the moment. Nothing was refunded: try again.';
  assert.deepEqual([status, answer.message, await made()], [502, message, before]);
  assert.deepEqual([(await send()).status, await made()], [201, before + 1]);
});

test('no refund is returned of a run that was rolled back, when the next replays what another request made', async () => {
  const body = { payment, amount: 1_000, reason: 'duplicate' as const };
  const call = (db: Pick<Db, 'transaction'>): Call<CreateRefundBody> =>
    ({
      ...{ caller: { team: shop.merchant.team, store: { ...shop.store, db }, key_id: 'key_test' }, body, params: {}, query: {} },
      ...{ idempotency_key: 'retried', sync: null, request_id: 'req_test', at: shop.clock.now() },
    }) as unknown as Call<CreateRefundBody>;
  const { db } = shop.store;
  let first: RefundRow | null = null;
  const retrying: Pick<Db, 'transaction'> = {
    transaction: async (work) => {
      const deadlock = new Error('deadlock');
      const rolledBack = db.transaction(async (tx) => {
        await work(tx);
        throw deadlock;
      });
      await assert.rejects(rolledBack, deadlock);
      first = (await createRefund(shop.api.deps, call(db))).refund;
      return db.transaction(work);
    },
  };
  const { reply, refund } = await createRefund(shop.api.deps, call(retrying));
  assert.equal(refund, null);
  assert.equal((reply.body.refund as { id: string }).id, must<RefundRow>(first, 'it was created').id);
});

test('422 for an amount that the provider of the payment never refunds', async (t) => {
  const stepOf = (channel: string, currency: string) => (channel === 'cm.mtn' && currency === 'XAF' ? 500_00n : 1n);
  assert.deepEqual(await answered(t, 1_200, { stepOf }), [422, { amount: ['must be a multiple of 500 XAF on cm.mtn'] }]);
});

test('201 for the whole of each part where only the whole can be refunded', async (t) => {
  const whole = await shop.paid(10_000);
  const { id } = { id: payment };
  payment = whole;
  assert.deepEqual(await answered(t, 9_999, { extent: 'full' }), WHOLE);
  assert.deepEqual(await answered(t, 10_000, { extent: 'full' }), [201, undefined]);
  payment = id;
});

test('422 says that a fee on top makes the whole of what was charged more than a refund', async (t) => {
  const { id } = { id: payment };
  payment = await shop.paid(10_000);
  await shop.owner.run(sql`update payments set bearer = 'customer', captured_minor = 1020000 where id = ${payment}`);
  await shop.owner.run(sql`update attempts set amount_minor = 1020000 where payment_id = ${payment}`);
  assert.deepEqual(await answered(t, 10_000, { extent: 'full' }), FEE_ON_TOP);
  payment = id;
});

test('a provider needs the number of the payer if it says so of the channel and currency', () => {
  const of = { channel: 'cm.mtn', currency: 'XAF' };
  const asked: unknown[] = [];
  const needs = (answer: boolean) =>
    needsPayer(
      refunds({
        needsPayer: (...args) => {
          asked.push(...args);
          return answer;
        },
      }),
      of,
    );
  assert.deepEqual([needs(true), needs(false), needsPayer(refunds({}), of)], [true, false, false]);
  assert.deepEqual(asked.slice(0, 2), [{ id: 'cm.mtn', kind: 'mobile_money' }, 'XAF']);
});

async function made(): Promise<RefundRow> {
  await shop.begin();
  shop.provider.submits.set(0, [PENDING]);
  const { id } = await shop.refund(await shop.paid(10_000), 1_000);
  return shop.answered(id);
}

test('a callback about a refund makes it due now', async () => {
  const { team_id, id } = await made();
  await shop.owner.run(sql`update refunds set next_poll_at = null where id = ${id}`);
  const now = shop.clock.now();
  await pollRefund(shop.store, now, team_id, 'rfd_nothing');
  assert.equal((await shop.row(id)).next_poll_at, null);
  await pollRefund(shop.store, now, team_id, id);
  assert.deepEqual((await shop.row(id)).next_poll_at, new Date(now));
});

test('a poll that a callback has scheduled is kept when an older answer decides nothing, unless the next is due before it', async () => {
  for (const answer of [LOST, PENDING]) {
    const known = await made();
    const context = { environment: 'live' as const, at: shop.clock.now(), listeners: shop.api.deps.listeners };
    const apply = (of: RefundRow) => shop.store.db.transaction((tx) => applyRefund(tx, context, of, 0, answer));
    await pollRefund(shop.store, context.at, known.team_id, known.id);
    assert.deepEqual((await apply(known)).next_poll_at, new Date(context.at));
    const polled = await shop.row(known.id);
    assert.deepEqual(polled.next_poll_at, new Date(context.at));
    assert.notDeepEqual((await apply(polled)).next_poll_at, new Date(context.at), 'the poll for which it was due is over');
    await shop.owner.run(sql`update refunds set next_poll_at = ${new Date(context.at + 86_400_000)} where id = ${known.id}`);
    assert.ok(must((await apply(polled)).next_poll_at, 'it is polled').getTime() < context.at + 86_400_000);
  }
});

test('only a refund that still waits for money is covered later, and its message is cleared then', async () => {
  const row = await made();
  const { config } = shop.api.deps;
  const cover = (known: RefundRow) => shop.store.db.transaction((tx) => coverLater(tx, config, shop.store, known));
  assert.deepEqual(await cover(row), row, 'it is covered already');
  assert.equal(await cover({ ...row, id: 'rfd_nothing' }), null);
  await shop.owner.run(sql`update refunds set draws = null where id = ${row.id}`);
  assert.deepEqual(await cover(row), { ...row, draws: null }, 'it is with its provider');
  const legs = row.legs.map((part) => ({ ...part, amount_minor: String(part.amount_minor), status: 'waiting' }));
  await shop.owner.run(
    sql`update refunds set status = 'pending', message = 'it waits', legs = ${JSON.stringify(legs)}::json where id = ${row.id}`,
  );
  await shop.owner.run(sql`delete from journals where source_id = ${row.id}`);
  const covered = await cover(row);
  assert.deepEqual([covered?.message, covered?.draws], [null, row.draws]);
  assert.deepEqual(await shop.row(row.id), covered);
});

test('a callback that comes while the refund is sent under a new key leaves that key', async () => {
  const { id, legs } = await made();
  const key = legs[0]?.provider_key as string;
  const waiting = legs.map((part) => ({ ...part, amount_minor: String(part.amount_minor), status: 'waiting', spent_key: key }));
  await shop.owner.run(sql`update refunds set legs = ${JSON.stringify(waiting)}::json where id = ${id}`);
  const known = await shop.row(id);
  const context = { environment: 'live' as const, at: shop.clock.now(), listeners: shop.api.deps.listeners };
  let told: Promise<void> = Promise.resolve();
  await shop.store.db.transaction(async (tx) => {
    assert.ok(await markSent(tx, context, known, 0, (spent) => `${spent}+`));
    told = pollRefund(shop.store, shop.clock.now(), known.team_id, id);
    await untilLocked(shop.api.databases.live);
  });
  await told;
  const [part] = (await shop.row(id)).legs;
  assert.deepEqual([part?.provider_key, part?.status], [`${key}+`, 'sent']);
});
