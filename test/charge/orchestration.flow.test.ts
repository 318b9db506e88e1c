import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { setActive } from '../../src/providers/provider-accounts/store.ts';
import type { Simulator } from '../../simulators/kit/simulator.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

/** Charges and payouts in live, end to end over the simulators: real HTTP both ways, real signatures, real databases. */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
after(() => api.stop());

let shop: LiveShop;
let [first, second]: [Simulator, Simulator] = [] as never;
beforeEach(async () => {
  shop = await openLiveShop(api, ['pawapay', 'mtn-momo']);
  [first, second] = [shop.simulators.pawapay as Simulator, shop.simulators['mtn-momo'] as Simulator];
});
afterEach(() => shop.stop());

const { db } = api.deps.stores.live;
const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: shop.key, ...(body ? { body } : {}) });

async function pending(amount = 1_000): Promise<string> {
  const { body } = await call('POST', '/payments', { amount, currency: 'XAF', phone: '670100000' });
  return body.transaction.id;
}

const charge = (id: string, phone = '670100000') => call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone } });
const payment = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;

/** Lets time go on until the payment has the status. Far from the real time, signed callbacks are too old to be believed. */
async function becomes(id: string, status: string, step_ms = 1_000) {
  return until(
    async () => {
      clock.advance(step_ms);
      return payment(id);
    },
    (transaction) => transaction.status === status,
    60_000,
  );
}

/**
 * The first callback makes the adapter fetch the keys by which it believes the later ones, and causes a poll. The clock stands still: a minute
 * ahead of the real time, signed callbacks are too old.
 */
async function warmUp(): Promise<void> {
  const id = await pending();
  await charge(id);
  await becomes(id, 'succeeded', 0);
  // The poll may have been quicker than the keys.
  await until(
    async () => first.requests.some(({ path }) => path === '/v2/public-key/http'),
    (fetched) => fetched,
  );
}

test('202, then succeeded by a signed callback, without a poll', async () => {
  await warmUp();
  const reads = () => first.requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/v2/deposits/')).length;
  const before = reads();
  const id = await pending();
  const { status, body } = await charge(id);
  assert.equal(status, 202);
  assert.deepEqual([body.action.type ?? body.action.kind, body.transaction.status], ['confirm', 'processing']);
  const paid = await becomes(id, 'succeeded', 0);
  assert.deepEqual(
    paid.attempts.map((attempt: { provider: string; status: string }) => [attempt.provider, attempt.status]),
    [['pawapay', 'succeeded']],
  );
  assert.equal(reads(), before);
  assert.deepEqual(first.book.moved(), [{ kind: 'collect', currency: 'XAF', amount_minor: 200_000n, count: 2 }]);
});

test('evidence with another amount: the payment waits, the money is in suspense, and it is resolved manually', async () => {
  await warmUp();
  first.faults.announce('other_amount');
  const id = await pending();
  await charge(id);
  const team_id = shop.merchant.team.id;
  const mismatched = () =>
    db.maybe<{ id: string }>(sql`select id from attempts where team_id = ${team_id} and mismatch is not null`);
  const found = await until(mismatched, (row) => row !== undefined);
  assert.equal((await payment(id)).status, 'processing');
  const held = async () => {
    const rows = await readBalances(db, team_id, 'XAF');
    return Object.fromEntries([...rows].map(([name, amount]) => [String(name), amount]));
  };
  assert.ok(((await held()).hold ?? 0n) > 0n);
  await resolveAttempt(
    api.deps,
    api.deps.stores.live,
    { team_id, id: found?.id as string },
    { as: 'succeeded', evidence: 'statement of today, line 3', author: 'awa' },
    WORKER,
  );
  assert.equal((await payment(id)).status, 'succeeded');
  assert.equal((await held()).hold ?? 0n, 0n);
});

test('402 for an immediate decline: the payment is failed, nothing was created, and no other provider is tried', async () => {
  const id = await pending();
  const { status, body } = await charge(id, '670000005');
  assert.deepEqual([status, body.error_code], [402, 'invalid_number']);
  assert.equal((await payment(id)).status, 'failed');
  assert.deepEqual([first.book.entries().length, second.book.entries().length], [0, 0]);
});

test('502 when no provider is available: the payment stays pending and can be charged later', async () => {
  await Promise.all([first.closePort(), second.closePort()]);
  const id = await pending();
  assert.equal((await charge(id)).status, 502);
  const left = await payment(id);
  assert.deepEqual(
    [left.status, left.attempts.map((attempt: { status: string }) => attempt.status)],
    ['pending', ['unavailable', 'unavailable']],
  );
  await Promise.all([first.openPort(), second.openPort()]);
  assert.equal((await charge(id)).status, 202);
  await becomes(id, 'succeeded');
});

test('fallback: after a provider that provably created nothing, the next one gets the charge', async () => {
  await first.closePort();
  const id = await pending();
  assert.equal((await charge(id)).status, 202);
  const paid = await becomes(id, 'succeeded');
  // In the same millisecond, as the test's clock has it: their order is not told.
  assert.deepEqual(
    paid.attempts.map((attempt: { provider: string; status: string }) => `${attempt.provider} ${attempt.status}`).sort(),
    ['mtn-momo succeeded', 'pawapay unavailable'],
  );
});

test('no fallback after a lost response: only the same provider is polled, whether it created the charge or not', async () => {
  for (const fault of ['reset_created', 'reset_uncreated'] as const) {
    first.faults.script({ fault });
    const id = await pending();
    assert.equal((await charge(id)).status, 202, 'unknown is not a decline');
    const before = await payment(id);
    assert.deepEqual(
      before.attempts.map((attempt: { provider: string }) => attempt.provider),
      ['pawapay'],
      fault,
    );
    const after = await becomes(id, fault === 'reset_created' ? 'succeeded' : 'failed', 10_000);
    assert.equal(after.attempts.length, 1);
    assert.equal(second.book.entries().length, 0);
  }
});

test('an unsigned callback only triggers a poll; a lost callback only delays the outcome', async () => {
  for (const manner of ['none', 'repeated', 'out_of_order', 'early'] as const) {
    await first.closePort();
    second.faults.announce(manner);
    const id = await pending();
    assert.equal((await charge(id)).status, 202);
    await becomes(id, 'succeeded');
    await first.openPort();
  }
  assert.equal(second.book.moved()[0]?.count, 4);
});

test('401 for a callback with a wrong signature, and nothing changes', async () => {
  // With keys that the adapter does not know yet, it would be polled, and that changes the payment as soon as a worker does it.
  await warmUp();
  first.faults.announce('wrong_signature');
  const id = await pending();
  await charge(id);
  await first.idle();
  const answers = first.callbacks.sent.filter(({ manner }) => manner === 'wrong_signature').map(({ status }) => status);
  assert.deepEqual(new Set(answers), new Set([401]));
  assert.equal((await payment(id)).status, 'processing');
  await becomes(id, 'succeeded');
});

test('404 for a callback to an unknown address', async () => {
  const { id } = shop.accounts.pawapay ?? assert.fail();
  const post = (path: string) => fetch(`${api.url}/_callbacks/${path}`, { method: 'POST', body: '{}' });
  assert.equal((await post('pa_00000000000000000000000000')).status, 404);
  assert.equal((await post(`${id}/att_00000000000000000000000000/wrong`)).status, 404);
});

test('a disabled account gets no new charges, and its open ones are polled until they end', async () => {
  const id = await pending();
  await charge(id);
  await setActive(api.control, shop.accounts.pawapay?.id as string, false, new Date());
  clock.advance(1_000);
  await becomes(id, 'succeeded');
  const next = await pending();
  await charge(next);
  assert.equal((await payment(next)).attempts[0].provider, 'mtn-momo');
});

test('payouts fall back like charges, and their money stays reserved until they are known to be sent', async () => {
  const id = await pending(10_000);
  await charge(id);
  await becomes(id, 'succeeded');
  await first.closePort();
  const made = await call('POST', '/transfers', {
    amount: 1_000,
    currency: 'XAF',
    recipient: '+237670200000',
    channel: 'cm.mtn',
  });
  assert.deepEqual([made.status, made.body.transfer.status], [201, 'processing']);
  const paid = await until(
    async () => {
      clock.advance(2_000);
      return (await call('GET', `/transfers/${made.body.transfer.id}`)).body.transfer;
    },
    (transfer) => transfer.status === 'succeeded',
    60_000,
  );
  assert.equal(paid.amount, 1_000);
  assert.equal(second.book.moved().find(({ kind }) => kind === 'payout')?.amount_minor, 100_000n);
});
