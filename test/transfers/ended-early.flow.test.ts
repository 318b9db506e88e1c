import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { resolveTransfer } from '../../src/core/transfers/resolve.ts';
import { getTransfer, pollTransfer } from '../../src/core/transfers/service.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Payout, PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry, withProviders } from '../setup/providers.ts';
import { assertBooks, type Bank, bank, forgetOpenTransfers, fund, TO_PHONE } from './support.ts';

/** Payouts that were ended while their provider still says something else: what it says is read again. */
const MINUTE_MS = 60_000;
const clock = new FakeClock();
let api: Api;
let merchant: Merchant;
let one: Bank;
let two: Bank;

before(async () => {
  api = await startApi({ workers: false, clock });
});
after(() => api.stop());

beforeEach(async () => {
  await forgetOpenTransfers(store());
  merchant = await api.newMerchant();
  await fund(api, merchant.team, 10_000);
  [one, two] = [bank('one'), bank('two')];
});

const store = () => api.deps.stores.sandbox;
const row = (id: string) => getTransfer(store(), merchant.team.id, id);
const PENDING = { kind: 'pending', provider_ref: 'ref-1', poll_after_ms: 1_000 } as const;
const REFUSED = { kind: 'failed', reason: null, message: 'refused' } as const;
const paid = ({ amount_minor, currency }: Payout): PayoutOutcome => {
  return { kind: 'succeeded', provider_ref: 'ref-1', amount_minor, currency };
};

async function sent(): Promise<string> {
  const body = { ...TO_PHONE, amount: 1_000 };
  return (await api.call('POST', '/transfers', { key: merchant.sandbox.secret, body })).body.transfer.id;
}

/** Rounds of a worker with these providers, a minute apart. */
async function rounds(count: number, ...sandbox: Bank[]): Promise<void> {
  const { round } = transferSweep({ ...api.deps, ...withProviders(new Registry({ sandbox, live: [] })) }, store());
  for (let i = 0; i < count; i++) {
    await round();
    clock.advance(MINUTE_MS);
  }
}

const callBack = (id: string) =>
  pollTransfer(
    store(),
    clock.now(),
    { team_id: merchant.team.id, account_id: 'one', keyOf: (own) => own },
    { by: 'id', value: id },
  );

/** `meanwhile` happens after the provider was handed the payout, and before its answer is stored. */
function whileSubmitting(meanwhile: () => Promise<unknown>, answer: PayoutOutcome): Bank {
  const submit = async () => {
    await meanwhile();
    return answer;
  };
  return { ...one, payouts: { ...one.payouts, submit } };
}

const resolveFailed = (id: string, named?: { provider_account: string; key: string | null; reference: string | null }) =>
  resolveTransfer(
    api.deps,
    store(),
    { team_id: merchant.team.id, id, ...(named ? { named } : {}) },
    { as: 'failed', evidence: 'line 7', author: 'awa' },
    WORKER,
  );

test('a payout that a person ends as failed while it is handed over, and that its provider takes, is read again', async () => {
  const id = await sent();
  one.onRead = paid;
  await rounds(
    3,
    whileSubmitting(() => resolveFailed(id), PENDING),
  );
  const { status, paid_late_at } = await row(id);
  assert.deepEqual([status, paid_late_at !== null], ['failed', true]);
  await assertBooks(store(), merchant.team);
});

test('that a provider has a payout is read again although what it had said before confirmed the failure', async () => {
  const id = await sent();
  one.onRead = () => REFUSED;
  const ended = async () => {
    await resolveFailed(id);
    await rounds(1, one);
    assert.equal((await row(id)).next_poll_at, null, 'it was read once more');
    one.onRead = paid;
  };
  await rounds(3, whileSubmitting(ended, PENDING));
  assert.notEqual((await row(id)).paid_late_at, null);
});

test('a callback that nobody has read yet is read although a person ends the payout as failed', async () => {
  const id = await sent();
  one.onSubmit = () => PENDING;
  await rounds(1, one);
  await callBack(id);
  await resolveFailed(id);
  one.onRead = paid;
  await rounds(2, one);
  assert.notEqual((await row(id)).paid_late_at, null);
});

test('a provider that called back, and does not show a payout that has failed at once, is asked again', async () => {
  const id = await sent();
  one.onRead = () => ({ kind: 'not_found' });
  const handed = whileSubmitting(() => callBack(id), REFUSED);
  await rounds(3, handed);
  assert.equal((await row(id)).status, 'failed');
  one.onRead = paid;
  await rounds(9, handed);
  assert.notEqual((await row(id)).paid_late_at, null);
});

test('evidence about an earlier submission does not end the one under way', async () => {
  const id = await sent();
  one.onSubmit = () => PENDING;
  await rounds(1, one);
  const { provider_key: key } = await row(id);
  const about = { provider_account: 'one', key, reference: null };
  const earlier = /about an earlier submission/;
  await assert.rejects(resolveFailed(id, { ...about, key: `${key}-1` }), earlier);
  await assert.rejects(resolveFailed(id, { ...about, provider_account: 'two' }), earlier);
  await assert.rejects(resolveFailed(id, { ...about, key: null, reference: 'ref-2' }), earlier);
  assert.equal((await row(id)).status, 'processing');
  await resolveFailed(id, { ...about, key: null, reference: 'ref-1' });
  assert.equal((await row(id)).status, 'failed');
});

test('a payout that was sent again after a callback stays with its account, also when a process of the version before sent it', async () => {
  const id = await sent();
  one.onSubmit = () => PENDING;
  await rounds(1, one, two);
  await store().db.run(sql`
    update transfers set decision = (decision::jsonb || '{"recalled": true, "resent": true}')::json where id = ${id}`);
  one.onRead = () => ({ kind: 'not_found' });
  await rounds(20, one, two);
  assert.deepEqual([two.calls.length, (await row(id)).provider_account], [0, 'one']);
});
