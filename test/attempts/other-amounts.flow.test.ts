import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import { correctionsOf } from '../../src/core/reconciliation/corrections.ts';
import type { BreakRow } from '../../src/core/reconciliation/schema.ts';
import { type Journal, post } from '../../src/money/ledger/post.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { pageStateOf } from '../../src/edge/checkout/page-state.ts';
import { findPayment } from '../../src/core/payments/store.ts';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { applyStatementProof } from '../../src/core/charge/statement-proof.ts';
import { applyCallback } from '../../src/core/charge/poll.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { expirySweep, pollSweep } from '../../src/core/charge/sweeps.ts';
import type { Reading } from '../../src/providers/adapters/contract.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { ACCEPTED, Scripted } from '../setup/scripted.ts';

/** Money in another amount or currency than was asked for, reported of an attempt that had ended without money. */
const clock = new FakeClock();
const provider = new Scripted();
let api: Api;
let merchant: Merchant;

before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [provider] }) });
});
after(() => api.stop());
afterEach(() => provider.reset());

const store = () => api.deps.stores.live;
const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: merchant.live.secret, ...(body ? { body } : {}) });
const statusOf = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction.status;
const attemptOf = async () =>
  (await findAttempt(store().db, merchant.team.id, provider.last.attempt_id)) ?? assert.fail('it was charged');

const ENDINGS: Record<string, Reading> = {
  failed: { kind: 'failed', reason: 'payer_declined', message: 'no' },
  cancelled: { kind: 'cancelled', reason: 'payer_declined', message: 'no' },
  expired: { kind: 'expired' },
};

/** A payment of 10,000 XAF of a fresh merchant that has ended so. */
async function ended(as: string): Promise<string> {
  merchant = await api.newMerchant({ verification_level: 3 });
  const { id } = (await call('POST', '/payments', { amount: 10_000, currency: 'XAF', phone: '1' })).body.transaction;
  await call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000' } });
  if (as === 'expired') await endWindow(id);
  provider.readings.set(provider.last.attempt_id, ENDINGS[as] as Reading);
  clock.advance(2_000);
  await pollSweep(api.deps, store()).round();
  assert.equal(await statusOf(id), as);
  return id;
}

/** A payment whose only charge its provider turned away, and a function that charges it again. */
async function turnedAway() {
  merchant = await api.newMerchant({ verification_level: 3 });
  const { transaction, authorization_url: url } = (
    await call('POST', '/payments', { amount: 10_000, currency: 'XAF', phone: '1' })
  ).body;
  const { id } = transaction;
  const charge = () => call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000' } });
  provider.submission = { kind: 'unavailable', message: 'maintenance' };
  assert.equal((await charge()).status, 502);
  provider.submission = ACCEPTED;
  return { id: id as string, url: url as string, charge };
}

/** A statement has shown another amount of a charge, the last one unless another is named. Returns how a person decides that the merchant keeps it. */
async function shownByStatement(id: string, subject_id = provider.last.attempt_id): Promise<() => Promise<unknown>> {
  const shown = {
    kind: 'late',
    flow: 'collect',
    subject_id,
    of_id: id,
    leg: null,
    there_minor: 900_000n,
  } as const;
  const row = { ...shown, there_currency: 'XAF', here_minor: 1_000_000n, here_currency: 'XAF' } as unknown as BreakRow;
  const journals = correctionsOf({ team_id: merchant.team.id, id: 'rcn_1', provider_account: provider.name }, row);
  await store().db.transaction((tx) => post(tx, journals));
  const postings = [{ debit: 'hold', credit: 'available', amount_minor: 900_000n }];
  const settled = { ...journals[0], kind: 'reconciliation.settled:reconciliation.late', postings } as unknown as Journal;
  return () => store().db.transaction((tx) => post(tx, [settled]));
}

const paid = (amount_minor: bigint, currency = 'XAF'): Reading => ({
  kind: 'succeeded',
  provider_ref: 'late',
  amount_minor,
  currency,
});
const report = async (reading: Reading) => applyCallback(api.deps, store(), await attemptOf(), reading);
const resolve = async (as: 'succeeded' | 'failed') =>
  resolveAttempt(
    api.deps,
    store(),
    { team_id: merchant.team.id, id: provider.last.attempt_id },
    { as, evidence: 'statement of the day', author: 'ops' },
    WORKER,
  );
const endWindow = (id: string) => store().db.run(sql`update payments set expires_at = ${new Date(clock.now())} where id = ${id}`);
const held = async (currency = 'XAF') => (await readBalances(store().db, merchant.team.id, currency)).get('hold') ?? 0n;
const events = async (id: string) =>
  (await store().db.all<{ type: string }>(sql`select type from events where resource_id = ${id} order by sequence`))
    .map(({ type }) => type.slice('payment.'.length))
    .slice(2);
const journals = async (id: string) =>
  (await store().db.all<{ kind: string }>(sql`select kind from journals where subject_id = ${id} order by id`)).map(
    ({ kind }) => kind,
  );

const OTHERS: [what: string, amount_minor: bigint, currency: string][] = [
  ['less', 900_000n, 'XAF'],
  ['more', 1_100_000n, 'XAF'],
  ['another currency', 1_000_000n, 'XOF'],
];
for (const as of Object.keys(ENDINGS)) {
  for (const [what, amount_minor, currency] of OTHERS) {
    test(`${as}, then money: ${what}: in suspense once, announced once, open as a break, however often it is reported`, async () => {
      const id = await ended(as);
      await report(paid(amount_minor, currency));
      await Promise.all([report(paid(amount_minor, currency)), report(paid(amount_minor, currency))]);
      assert.deepEqual([await held(currency), await statusOf(id)], [amount_minor, as]);
      assert.deepEqual([await events(id), await journals(id)], [[as, 'late_success'], ['evidence.mismatched']]);
      const { mismatch, status, next_poll_at } = await attemptOf();
      assert.deepEqual(
        [mismatch?.amount_minor, mismatch?.currency, status, next_poll_at],
        [String(amount_minor), currency, as, null],
      );
    });
  }
}

test('a statement with another amount after the payment has ended is booked as well', async () => {
  const id = await ended('failed');
  const said = { author: 'statement 1 line 3', evidence: 'paid 9,000' };
  const ref = { team_id: merchant.team.id, id: provider.last.attempt_id };
  await applyStatementProof(api.deps, store(), ref, paid(900_000n) as never, said, WORKER);
  assert.deepEqual([await held(), await events(id)], [900_000n, ['failed', 'late_success']]);
});

test('resolved as failed: suspense is empty, the status of the payment stays, and the same report changes nothing more', async () => {
  const id = await ended('failed');
  await report(paid(900_000n));
  await resolve('failed');
  await report(paid(900_000n));
  assert.deepEqual([await held(), await statusOf(id)], [0n, 'failed']);
  const { status, reason, mismatch, resolution } = await attemptOf();
  assert.deepEqual([status, reason, mismatch, resolution?.as], ['failed', 'payer_declined', null, 'failed']);
  await assert.rejects(resolve('failed'), /decided already/);
});

test('another amount that is reported after the resolution is booked anew', async () => {
  const id = await ended('failed');
  await report(paid(900_000n));
  await resolve('failed');
  await report(paid(950_000n));
  assert.equal(await held(), 950_000n);
  await resolve('failed');
  assert.equal(await held(), 0n);
  const kinds = ['evidence.mismatched', 'evidence.resolved', 'evidence.mismatched:2', 'evidence.resolved:2'];
  assert.deepEqual(await journals(id), kinds);
});

test('the right amount after a wrong one: the suspense booking is reversed, and the full amount is returned to the payer', async () => {
  const id = await ended('cancelled');
  await report(paid(900_000n));
  await report(paid(1_000_000n));
  assert.deepEqual([await held(), await statusOf(id)], [1_000_000n, 'cancelled']);
  const { status, must_return, mismatch } = await attemptOf();
  assert.deepEqual([status, must_return, mismatch], ['succeeded', true, null]);
});

test('another amount on an open attempt announces nothing, and the payment stays processing', async () => {
  merchant = await api.newMerchant({ verification_level: 3 });
  const { id } = (await call('POST', '/payments', { amount: 10_000, currency: 'XAF', phone: '1' })).body.transaction;
  await call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000' } });
  await report(paid(900_000n));
  assert.deepEqual([await held(), await statusOf(id), await events(id)], [900_000n, 'processing', []]);
});

test('another amount of an attempt whose provider turned it away: nothing else is charged, and nothing cancelled, until a person decides', async () => {
  const { id, charge } = await turnedAway();
  await report(paid(900_000n));
  assert.deepEqual([await held(), await statusOf(id)], [900_000n, 'pending']);
  const seen = { payment: must(await findPayment(store().db, merchant.team.id, id), ''), attempts: [await attemptOf()] };
  assert.equal(pageStateOf(seen, clock.now()).kind, 'under_way');
  assert.deepEqual([(await charge()).status, provider.submitted.length], [400, 1]);
  assert.equal((await call('DELETE', `/payments/${id}`)).body.error_code, 'payment_not_cancellable');
  await endWindow(id);
  await expirySweep(api.deps, store()).round();
  assert.equal(await statusOf(id), 'pending', 'nor does it expire');
  await store().db.run(sql`update payments set expires_at = ${new Date(clock.now() + 3_600_000)} where id = ${id}`);
  await resolve('failed');
  assert.deepEqual([await held(), (await charge()).status, provider.submitted.length], [0n, 202, 2]);
});

test('another amount that only a statement has shown keeps the next charge, a cancellation and the expiry away as well', async () => {
  const { id, charge } = await turnedAway();
  const decide = await shownByStatement(id);
  assert.deepEqual([(await charge()).status, provider.submitted.length], [400, 1]);
  assert.equal((await call('DELETE', `/payments/${id}`)).body.error_code, 'payment_not_cancellable');
  const expire = async () => {
    await endWindow(id);
    await expirySweep(api.deps, store()).round();
    return statusOf(id);
  };
  assert.equal(await expire(), 'pending');
  await decide();
  assert.equal(await expire(), 'expired');
});

test('a tranche that ends after the window does not expire a payment of which a statement has shown another amount', async () => {
  const { id, charge } = await turnedAway();
  const first = provider.last.attempt_id;
  assert.equal((await charge()).status, 202);
  await store().db.run(sql`update payments set status = 'partial', captured_minor = 400000 where id = ${id}`);
  await shownByStatement(id, first);
  await endWindow(id);
  await report({ kind: 'expired' });
  assert.deepEqual([(await attemptOf()).status, await statusOf(id)], ['expired', 'partial']);
});

test('the payment page waits while only a statement has shown money, and its stream and its status report the decision', async () => {
  const { id, url } = await turnedAway();
  const decide = await shownByStatement(id);
  const page = await (await fetch(url)).text();
  assert.match(page, /data-state="pending checked 1"/);
  const status = async () => (await fetch(`${url}/status`)).json();
  assert.deepEqual(await status(), { status: 'pending', step: 'checked', attempt: 1 });
  const stopped = new AbortController();
  const stream = await fetch(`${url}/events`, { signal: stopped.signal });
  let text = '';
  const read = async () => {
    for await (const chunk of stream.body as ReadableStream<Uint8Array>) text += Buffer.from(chunk).toString();
  };
  void read().catch(() => null);
  const steps = () => [...text.matchAll(/"step":"(\w+)"/g)].map(([, step]) => step);
  await until(
    async () => steps(),
    ({ length }) => length > 0,
  );
  // The stream has looked once at least: a look that did not see the money would make the page reload in a loop.
  await delay(1_500);
  assert.deepEqual(steps(), ['checked']);
  await decide();
  assert.deepEqual(
    await until(
      async () => steps(),
      ({ length }) => length > 1,
    ),
    ['checked', 'none'],
  );
  stopped.abort();
  assert.deepEqual(await status(), { status: 'pending', step: 'none', attempt: 1 });
  assert.doesNotMatch(await (await fetch(url)).text(), /data-follow/);
});

test('another amount of an attempt that its provider later does not know stays in suspense, for a person to resolve', async () => {
  merchant = await api.newMerchant({ verification_level: 3 });
  const { id } = (await call('POST', '/payments', { amount: 10_000, currency: 'XAF', phone: '1' })).body.transaction;
  await call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000' } });
  await report(paid(900_000n));
  provider.readings.set(provider.last.attempt_id, { kind: 'not_found' });
  clock.advance(3_600_000);
  await pollSweep(api.deps, store()).round();
  await report({ kind: 'not_found' });
  assert.deepEqual([await held(), await statusOf(id), await events(id)], [900_000n, 'processing', []]);
  const { mismatch, status, next_poll_at } = await attemptOf();
  assert.deepEqual([mismatch?.amount_minor, status, next_poll_at !== null], ['900000', 'unknown', true]);
  await resolve('failed');
  assert.deepEqual([await held(), await statusOf(id)], [0n, 'failed']);
});
