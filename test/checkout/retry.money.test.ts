import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { openHosted } from '../../src/core/charge/hosted.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { correctionsOf } from '../../src/core/reconciliation/corrections.ts';
import type { BreakRow } from '../../src/core/reconciliation/schema.ts';
import { retryPayment } from '../../src/edge/checkout/retry.ts';
import { sql } from '../../src/kit/sql.ts';
import { post } from '../../src/money/ledger/post.ts';
import { checkBooks } from '../faults/books.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { newPayment, Payer } from './payer.ts';
import { DECLINED, PAID, Retries } from './retries.ts';

/** Of a payment and those that try it again, at most one keeps money, whatever happens at once, in between or late. */
const clock = new FakeClock();
let api: Api;
let retries: Retries;
before(async () => {
  api = await startApi({ clock });
  retries = new Retries(api, clock, await api.newMerchant({ hosted_retry: true }));
});
after(() => api.stop());

const get = (id: string) => retries.get(id);
const becomes = (id: string, status: string) => retries.becomes(id, status);
const declined = (...given: Parameters<Retries['declined']>) => retries.declined(...given);
const follow = (payer: Payer, location: string | null) => retries.follow(payer, location);

/** Reports a success of the first attempt of a payment that has failed. */
async function succeedLate(id: string): Promise<void> {
  const ref = { team_id: retries.shop.team.id, id: (await get(id)).attempts[0].id };
  const verdict = { as: 'succeeded', evidence: 'statement', author: 'awa' } as const;
  await resolveAttempt(api.deps, api.deps.stores.sandbox, ref, verdict, WORKER);
}
const MONEY_IN_DOUBT = /Money may have arrived for this payment\. Contact Chez Awa before you pay again\./;

/** The page of a payment that ended, which offers no form and invites to nothing. */
async function resultOf(payer: Payer): Promise<string> {
  const { body } = await payer.get('', { 'accept-language': 'en' });
  assert.doesNotMatch(body, /<form|Nothing was charged|try again|new link/);
  return body;
}

const returned = (id: string) => retries.reaches(id, ({ amount_refunded }) => amount_refunded > 0, 1_000);

test('ten submits at once make one payment, with one charge, and lead every tab to it', async () => {
  const { id, payer } = await declined();
  const answers = await Promise.all(Array.from({ length: 10 }, () => payer.submit(PAID)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
  assert.equal(new Set(answers.map(({ headers }) => headers.get('location'))).size, 1);
  const { retried_by } = await get(id);
  const second = await becomes(retried_by, 'succeeded');
  assert.equal(second.attempts.length, 1);
  const rows = await api.deps.stores.sandbox.db.all(sql`select id from payments where retry_of = ${id}`);
  assert.deepEqual(rows, [{ id: retried_by }]);
});

test('of two browsers that try again at once where none holds the page, one pays and the other gets 403', async () => {
  const { id, url } = await newPayment(api, {}, retries.key);
  const body = { channel: DECLINED.channel, data: { phone: DECLINED.phone } };
  assert.equal((await api.call('POST', `/payments/${id}`, { key: retries.key, body })).status, 402);
  const answers = await Promise.all(Array.from({ length: 4 }, () => new Payer(url).json(PAID)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 403, 403, 403]);
  assert.equal((await becomes((await get(id)).retried_by, 'succeeded')).attempts.length, 1);
});

test('a crash between the creation of the second payment and its charge: the old address leads to it, and it is paid once', async () => {
  const { id, payer, token } = await declined();
  const hosted = await openHosted(api.deps, token);
  assert.ok(hosted);
  const secret = payer.cookie?.split('=')[1];
  assert.ok(await retryPayment(api.deps, hosted, String(secret), 'req_1'));
  assert.equal(await retryPayment(api.deps, hosted, String(secret), 'req_2'), null);
  const led = await payer.get();
  const second = await follow(payer, led.headers.get('location'));
  assert.match((await second.get()).body, /<form/);
  assert.equal((await second.json(PAID)).status, 202);
  const { retried_by } = await get(id);
  const paid = await becomes(retried_by, 'succeeded');
  assert.deepEqual([paid.attempts.length, paid.retried_by], [1, null]);
});

test('a payment in tranches follows one that was declined; a late success of the first returns, and the second is paid in full', async () => {
  const { id, payer } = await declined({ amount: 900_000 });
  await payer.submit(PAID);
  const first = await get(id);
  await succeedLate(id);
  const late = await returned(id);
  assert.deepEqual([late.amount_captured, late.amount_refunded], [450_000, 450_000]);
  const second = await becomes(first.retried_by, 'succeeded');
  assert.deepEqual([second.amount_captured, second.amount_refunded, second.attempts.length], [900_000, 0, 2]);
  assert.deepEqual(await checkBooks(api.deps.stores.sandbox.db), []);
});

test('never while the first could still succeed: a charge that a person closed is polled on, and so is not offered again', async () => {
  const { id, payer } = await declined();
  const set = (at: Date | null) =>
    api.deps.stores.sandbox.db.run(sql`update attempts set next_poll_at = ${at} where payment_id = ${id}`);
  await set(new Date(clock.now() + 3_600_000));
  assert.doesNotMatch((await payer.get()).body, /<form/);
  assert.equal((await payer.json(PAID)).status, 400);
  await set(null);
  assert.match((await payer.get()).body, /<form/);
});

test('while the provider is still asked about a charge that has ended, the page does not say that nothing was charged', async () => {
  const { id, payer } = await declined();
  const { db } = api.deps.stores.sandbox;
  const ends: [string, string | null][] = [
    ['failed', 'insufficient_funds'],
    ['cancelled', 'payer_declined'],
    ['expired', null],
  ];
  for (const [status, reason] of ends) {
    await db.run(sql`update payments set status = ${status}, reason = ${reason} where id = ${id}`);
    await db.run(sql`update attempts set next_poll_at = ${new Date(clock.now() + 3_600_000)} where payment_id = ${id}`);
    clock.advance(11_000);
    assert.match(await resultOf(payer), MONEY_IN_DOUBT, status);
  }
  await db.run(sql`update attempts set next_poll_at = null where payment_id = ${id}`);
  assert.doesNotMatch((await payer.get('', { 'accept-language': 'en' })).body, MONEY_IN_DOUBT);
});

test('a success of the first that is reported after the second has succeeded goes back to the payer, and the books agree', async () => {
  const { id, payer } = await declined();
  await payer.submit(PAID);
  const second = await becomes((await get(id)).retried_by, 'succeeded');
  await succeedLate(id);
  const first = await returned(id);
  assert.deepEqual([first.status, first.amount_captured, first.amount_refunded], ['failed', 25_000, 25_000]);
  assert.deepEqual([(await get(second.id)).status, (await get(second.id)).amount_refunded], ['succeeded', 0]);
  assert.deepEqual(await checkBooks(api.deps.stores.sandbox.db), []);
});

test('once a statement has shown money of the first, the page offers no other try, and does not say that nothing was charged', async () => {
  const { id, payer } = await declined();
  const attempt = (await get(id)).attempts[0].id;
  const { db } = api.deps.stores.sandbox;
  // As a comparison posts it when the amount differs from the requested one: the attempt stays failed.
  const shown = { kind: 'late', flow: 'collect', subject_id: attempt, of_id: id, leg: null, there_minor: 2_400_000n } as const;
  const row = { ...shown, there_currency: 'XAF', here_minor: 2_500_000n, here_currency: 'XAF' } as unknown as BreakRow;
  const journals = correctionsOf({ team_id: retries.shop.team.id, id: 'rcn_1', provider_account: 'sandbox' }, row);
  assert.equal(journals.length, 1);
  await db.transaction((tx) => post(tx, journals));
  assert.match(await resultOf(payer), MONEY_IN_DOUBT);
  assert.equal((await payer.json(PAID)).status, 400);
  assert.equal((await get(id)).retried_by, null);
});

test('while a provider reports another amount of a payment that ended, its page does not say that nothing was charged', async () => {
  for (const [status, reason] of [
    ['failed', 'insufficient_funds'],
    ['cancelled', 'payer_declined'],
    ['expired', null],
  ]) {
    const { id, payer } = await declined();
    const { db } = api.deps.stores.sandbox;
    await db.run(sql`update payments set status = ${status}, reason = ${reason} where id = ${id}`);
    const mismatch = { amount_minor: '100', currency: 'XAF', provider_ref: 'p', at: new Date(0).toISOString() };
    await db.run(sql`update attempts set mismatch = ${JSON.stringify(mismatch)} where payment_id = ${id}`);
    assert.match(await resultOf(payer), MONEY_IN_DOUBT, String(status));
    await db.run(sql`update attempts set mismatch = null where payment_id = ${id}`);
    assert.doesNotMatch((await payer.get('', { 'accept-language': 'en' })).body, MONEY_IN_DOUBT, String(status));
  }
});

test('once a late success has arrived, the page offers no other try, and says what becomes of the money', async () => {
  const { id, payer } = await declined();
  await succeedLate(id);
  const page = async () => (await payer.get('', { 'accept-language': 'en' })).body;
  assert.doesNotMatch(await page(), /<form|Nothing was charged|try again/);
  assert.equal((await payer.json(PAID)).status, 400);
  assert.equal((await get(id)).retried_by, null);
  await returned(id);
  assert.match(await page(), /FCFA\s25,000 was refunded\./);
});

test('a late success of a payment that the merchant cancelled: its page does not say that nothing was charged', async () => {
  const { id, url } = await newPayment(api, {}, retries.key);
  assert.equal((await api.call('DELETE', `/payments/${id}`, { key: retries.key })).status, 200);
  const { db } = api.deps.stores.sandbox;
  await db.run(sql`update payments set captured_minor = 2500000 where id = ${id}`);
  const { body } = await new Payer(url).get('', { 'accept-language': 'en' });
  assert.match(body, /FCFA\s25,000 arrived after the payment had ended, and will be returned to you\./);
  assert.doesNotMatch(body, /Nothing was charged/);
});
