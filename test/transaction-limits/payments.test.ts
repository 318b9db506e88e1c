import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { applyOne } from '../../src/core/payments/applier.ts';
import { changeOfReading } from '../../src/core/charge/outcomes.ts';
import { findPayment } from '../../src/core/payments/store.ts';
import type { Reading, Submission } from '../../src/providers/adapters/contract.ts';
import { FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { many } from '../setup/many.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';

/** Answers as the test says; keeps nothing. */
class Scripted implements TestProvider {
  readonly name: string;
  submission: Submission = { kind: 'unavailable', message: 'closed' };

  constructor(name: string) {
    this.name = name;
  }

  submit = async () => this.submission;
  read = async (): Promise<Reading> => ({ kind: 'pending', poll_after_ms: 1_000_000_000 });
}

const ACCEPTED: Submission = { kind: 'accepted', provider_ref: 'ref', next: { kind: 'confirm' }, poll_after_ms: 1_000_000_000 };
const CLOSED: Submission = { kind: 'unavailable', message: 'closed' };

/** So that no test runs over midnight by chance. */
const clock = new FakeClock();
clock.advance(86_400_000 - (clock.now() % 86_400_000) + 3_600_000);
const [first, second] = [new Scripted('first'), new Scripted('second')];
const api = await startApi({
  workers: false,
  clock,
  providers: new Registry({ sandbox: [first, second], live: [first, second] }),
});
after(() => api.stop());
const store = api.deps.stores.live;

let merchant: Merchant;
beforeEach(async () => {
  merchant = await api.newMerchant({ verification_level: 1 });
  first.submission = ACCEPTED;
  second.submission = CLOSED;
});

const create = (amount: number, fields: object = {}, key = merchant.live.secret) =>
  api.call('POST', '/payments', { key, body: { amount, currency: 'XAF', phone: '1', ...fields } });
/** A phone of its own for each charge: how often one is prompted is limited. */
let phones = 650_000_000;
const charge = (id: string, key = merchant.live.secret) =>
  api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.mtn', data: { phone: String(++phones) } } });
async function made(amount: number, fields: object = {}): Promise<string> {
  const { status, body } = await create(amount, fields);
  assert.equal(status, 201, JSON.stringify(body));
  return body.transaction.id;
}
async function charged(amount: number, fields: object = {}) {
  const id = await made(amount, fields);
  return { id, answer: await charge(id) };
}
/** Keys are remembered with their team, by the clock of the test too. */
async function setLevel(verification_level: number) {
  await api.setTeam(merchant.team, { verification_level });
  clock.advance(1_000);
}
/** Counted for this month, in francs. */
const used = async () => {
  const rows = await store.db.all<{ period: string; used_minor: bigint }>(sql`
    select period, used_minor from ceiling_uses where team_id = ${merchant.team.id} and direction = 'payment' order by period`);
  assert.equal(new Set(rows.map(({ used_minor }) => used_minor)).size <= 1, true, 'one day, one month: the same sum');
  return Number((rows[0]?.used_minor ?? 0n) / 100n);
};
/** News of the payment's last attempt. */
async function learn(id: string, reading: Reading) {
  const team_id = merchant.team.id;
  const [{ attempt_id } = { attempt_id: '' }] = await store.db.all<{ attempt_id: string }>(sql`
    select id as attempt_id from attempts where payment_id = ${id} order by id desc limit 1`);
  const [payment, attempt] = [await findPayment(store.db, team_id, id), await findAttempt(store.db, team_id, attempt_id)];
  assert.ok(payment && attempt);
  const capabilities = { polls: { first_ms: 1, factor: 1, max_ms: 1 }, not_found_grace_ms: 0 };
  await applyOne(api.deps, store, changeOfReading(api.deps.config, 'live', payment, attempt, reading, capabilities, clock.now()));
}
const statusOf = async (id: string) =>
  (await api.call('GET', `/payments/${id}`, { key: merchant.live.secret })).body.transaction.status;

test('402 for a live payment and a live charge of a team that is not, or no longer, verified', async () => {
  const id = await made(1_000);
  await setLevel(0);
  for (const { status, body } of [await create(1_000), await create(1e9), await charge(id)]) {
    assert.deepEqual([status, body.error_code], [402, 'merchant_not_verified']);
    assert.match(body.payer_message, /No money was taken/);
  }
  assert.deepEqual([await used(), await statusOf(id)], [0, 'pending']);
});

const CREATED: [level: number, currency: string, amount: number, status: number][] = [
  [1, 'XAF', 500_000, 201],
  [1, 'XAF', 500_000.01, 422],
  [1, 'XOF', 500_001, 422],
  [1, 'EUR', 750, 201],
  [1, 'EUR', 750.01, 422],
  [2, 'XAF', 2_500_000, 201],
  [2, 'XAF', 2_500_001, 422],
  [3, 'XAF', 12_500_000, 201],
  [4, 'XAF', 50_000_000, 201],
];

for (const [verification_level, currency, amount, expected] of CREATED) {
  test(`${expected} for a live payment of ${amount} ${currency} on level ${verification_level}`, async () => {
    merchant = await api.newMerchant({ verification_level });
    const { status, body } = await create(amount, { currency });
    assert.equal(status, expected);
    if (status === 422) assert.deepEqual([body.error_code, Object.keys(body.errors)], ['ceiling_exceeded', ['amount']]);
  });
}

test('201 and 202 in the sandbox, whatever the amount and the level; nothing is counted', async () => {
  merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const { status, body } = await create(10_000_000, {}, key);
  assert.equal(status, 201);
  assert.equal((await charge(body.transaction.id, key)).status, 202);
  assert.equal((await api.deps.stores.sandbox.db.all(sql`select 1 from ceiling_uses`)).length, 0);
});

test('422 for a charge above what is left of the daily limit: the payment stays pending and can be charged another day', async () => {
  for (let i = 0; i < 4; i++) assert.equal((await charged(480_000)).answer.status, 202);
  const { id, answer } = await charged(80_001);
  assert.deepEqual(
    [answer.status, answer.body.error_code, Object.keys(answer.body.errors)],
    [422, 'ceiling_exceeded', ['amount']],
  );
  assert.deepEqual([await used(), await statusOf(id)], [1_920_000, 'pending']);
  assert.equal((await charged(80_000)).answer.status, 202);
  const waiting = await made(80_001, { expires: { in: 43_200 } });
  assert.equal((await charge(waiting)).status, 422);
  clock.advance(86_400_000);
  assert.equal((await charge(waiting)).status, 202);
});

test('a hundred charges at once: exactly as many succeed as the daily limit allows', async () => {
  const ids = await many(100, () => made(90_000));
  const answers = await many(100, (n) => charge(ids[n] as string));
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 202).length, 22);
  assert.equal(statuses.filter((status) => status === 422).length, 78);
  assert.equal(await used(), 22 * 90_000);
  const attempts = await store.db.all(sql`select 1 from attempts where team_id = ${merchant.team.id}`);
  assert.equal(attempts.length, 22, 'what was refused left nothing behind');
});

const GIVEN_BACK: [what: string, reading: Reading][] = [
  ['declined', { kind: 'failed', reason: 'wrong_pin', message: 'PIN' }],
  ['cancelled by the payer', { kind: 'cancelled', reason: 'payer_declined', message: 'no' }],
  ['expired', { kind: 'expired' }],
];

for (const [what, reading] of GIVEN_BACK) {
  test(`a charge that is ${what} is released from the limit once; a late success is counted again once`, async () => {
    const { id } = await charged(100_000);
    assert.equal(await used(), 100_000);
    await learn(id, reading);
    await learn(id, reading);
    assert.equal(await used(), 0);
    const paid = { kind: 'succeeded', provider_ref: 'ref', amount_minor: 10_000_000n, currency: 'XAF' } as const;
    await learn(id, paid);
    await learn(id, paid);
    assert.equal(await used(), 100_000);
  });
}

test('a charge declined in the response is released from the limit', async () => {
  first.submission = { kind: 'refused', reason: 'insufficient_funds', message: 'no' };
  assert.equal((await charged(100_000)).answer.status, 402);
  assert.equal(await used(), 0);
});

test('a charge that no provider accepted is released; one that the second provider accepted is counted once', async () => {
  first.submission = CLOSED;
  const { id, answer } = await charged(100_000);
  assert.deepEqual([answer.status, await used()], [502, 0]);
  second.submission = ACCEPTED;
  assert.deepEqual([(await charge(id)).status, await used()], [202, 100_000]);
});

test('an unknown outcome is not released, nor is evidence that does not match', async () => {
  first.submission = { kind: 'unknown', message: 'timeout' };
  const { id } = await charged(100_000);
  await learn(id, { kind: 'unreadable', message: '<html>' });
  assert.equal(await used(), 100_000);
  await learn(id, { kind: 'succeeded', provider_ref: 'ref', amount_minor: 1n, currency: 'XAF' });
  assert.equal(await used(), 100_000);
});

test('a charge that is rejected by another rule does not count towards the limit', async () => {
  const { id } = await charged(100_000);
  assert.deepEqual([(await charge(id)).status, await used()], [400, 100_000]);
});

test('a fee borne by the payer counts towards the limit', async () => {
  await charged(100_000, { bearer: 'customer' });
  assert.equal(await used(), 102_000);
});

test('a release after midnight is subtracted from the day on which the charge began', async () => {
  const { id } = await charged(100_000, { expires: { in: 43_200 } });
  clock.advance(86_400_000);
  await charged(30_000);
  await learn(id, { kind: 'failed', reason: 'wrong_pin', message: 'PIN' });
  const rows = await store.db.all<{ used_minor: bigint }>(sql`
    select used_minor from ceiling_uses where team_id = ${merchant.team.id} and length(period) = 10 order by period`);
  assert.deepEqual(
    rows.map(({ used_minor }) => used_minor),
    [0n, 3_000_000n],
  );
});

test('a refund releases nothing', async () => {
  const { id } = await charged(100_000);
  await learn(id, { kind: 'succeeded', provider_ref: 'ref', amount_minor: 10_000_000n, currency: 'XAF' });
  const refunded = { kind: 'refunded', amount_minor: 10_000_000n } as const;
  await applyOne(api.deps, store, { team_id: merchant.team.id, payment_id: id, occurrences: [refunded] });
  assert.deepEqual([await statusOf(id), await used()], ['refunded', 100_000]);
});

test('a charge that began without limits releases nothing on a level that has them', async () => {
  merchant = await api.newMerchant({ verification_level: 4 });
  const { id } = await charged(400_000);
  await setLevel(1);
  await charged(300_000);
  await learn(id, { kind: 'failed', reason: 'wrong_pin', message: 'PIN' });
  assert.equal(await used(), 300_000);
});
