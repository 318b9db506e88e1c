import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { getTransfer, pollTransfer } from '../../src/core/transfers/service.ts';
import type { TransferSubject } from '../../src/core/transfers/store.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import type { Payout, PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry, withProviders } from '../setup/providers.ts';
import { assertBooks, type Bank, bank, forgetOpenTransfers, fund, TO_PHONE } from './support.ts';

/** Payouts that an account has turned away, and that it, or one before it, calls back about: where they are read, and who gets them then. */
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
/** Longer than the time in which an account may not show a payout yet. */
const HALF_AN_HOUR = Array<number>(6).fill(5 * MINUTE_MS);
const CLOSED = { kind: 'unavailable', message: '503' } as const;
const EMPTY = { kind: 'unfunded', message: 'the float is empty' } as const;
const PENDING = { kind: 'pending', provider_ref: null, poll_after_ms: 1_000 } as const;

async function sent(): Promise<string> {
  const body = { ...TO_PHONE, amount: 1_000 };
  return (await api.call('POST', '/transfers', { key: merchant.sandbox.secret, body })).body.transfer.id;
}

/** Rounds of a worker with these providers: one at once, and one after each wait. */
async function rounds(sandbox: Bank[], ...waits_ms: number[]): Promise<void> {
  const { round } = transferSweep({ ...api.deps, ...withProviders(new Registry({ sandbox, live: [] })) }, store());
  await round();
  for (const wait of waits_ms) {
    clock.advance(wait);
    await round();
  }
}

function callBack(account_id: string, value: string, by: TransferSubject['by'] = 'id') {
  const from = { team_id: merchant.team.id, account_id, keyOf: (own: string) => own };
  return pollTransfer(store(), clock.now(), from, { by, value });
}

/** Takes a payout, and says that it did not. */
function takingSilently(own: Bank): (payout: Payout) => PayoutOutcome {
  return (payout) => {
    own.taken.set(payout.provider_key, payout);
    return CLOSED;
  };
}

/** A payout that `one` took under its first key, and could not pay for want of funds. */
async function unfunded(): Promise<string> {
  const id = await sent();
  one.onSubmit = () => PENDING;
  one.onRead = ({ provider_key }) => (provider_key === id ? EMPTY : undefined);
  await rounds([one], 2_000);
  const { provider_key, dispatched_at, decision } = await row(id);
  assert.deepEqual([provider_key, dispatched_at, decision?.spent], [id, null, 1]);
  return id;
}

async function assertPaidOnce(id: string, by: Bank, key: string): Promise<void> {
  assert.deepEqual([(await row(id)).status, (await row(id)).provider_account], ['succeeded', by.name]);
  assert.deepEqual([...one.taken.keys(), ...two.taken.keys()], [key]);
  await assertBooks(store(), merchant.team);
}

test('a payout that two accounts have turned away, and that the first of them calls back about, is read there', async () => {
  const id = await sent();
  one.onSubmit = takingSilently(one);
  two.onSubmit = () => CLOSED;
  await rounds([one, two], 0);
  assert.equal(await callBack('three', id), undefined, 'it was never sent there');
  assert.equal((await callBack('one', id))?.id, id);
  two.onSubmit = () => undefined;
  await rounds([one, two], MINUTE_MS, MINUTE_MS);
  await assertPaidOnce(id, one, id);
});

for (const by of ['id', 'provider_key'] as const)
  test(`a payout that was turned away, and then by an account beside which routing left the first out, is read at the first: by ${by}`, async () => {
    const id = await sent();
    one.onSubmit = takingSilently(one);
    two.onSubmit = () => CLOSED;
    await rounds([one], 0);
    await rounds([two], MINUTE_MS);
    assert.deepEqual([(await row(id)).provider_account, (await row(id)).decision?.candidates], ['two', ['two']]);
    assert.equal((await callBack('one', id, by))?.id, id);
    two.onSubmit = () => undefined;
    await rounds([two, one], MINUTE_MS, MINUTE_MS);
    await assertPaidOnce(id, one, id);
  });

test('a payout whose account is down, and has called back about it, goes to the next account once that one does not know it', async () => {
  const id = await sent();
  for (const provider of [one, two]) provider.onSubmit = () => CLOSED;
  await rounds([one, two], 0);
  await callBack('one', id);
  assert.equal((await row(id)).decision?.recalled, true);
  two.onSubmit = () => undefined;
  await rounds([one, two], ...HALF_AN_HOUR);
  await assertPaidOnce(id, two, id);
  assert.equal((await row(id)).decision?.recalled, undefined);
});

test('a payout that its account has shown after a callback is sent to no other, whatever that account says later', async () => {
  const id = await sent();
  one.onSubmit = () => CLOSED;
  await rounds([one], 0);
  await callBack('one', id);
  one.onRead = () => PENDING;
  await rounds([one], 1_000);
  one.onRead = () => ({ kind: 'not_found' });
  for (let i = 0; i < 5; i++) await rounds([one, two], 15 * MINUTE_MS);
  assert.equal(two.calls.length, 0);
});

test('a payout that lacked funds, and that its account calls back about before it is sent again, is read there', async () => {
  const id = await unfunded();
  one.onRead = ({ provider_key, amount_minor, currency }) => {
    return { kind: 'succeeded', provider_ref: provider_key, amount_minor, currency };
  };
  await callBack('one', id);
  await rounds([two, one], MINUTE_MS, MINUTE_MS);
  assert.deepEqual([(await row(id)).status, one.calls.at(-1), two.calls], ['succeeded', 'read', []]);
});

test('a payout that was turned away under its second key, and that its account names by that key, is read there', async () => {
  const id = await unfunded();
  one.onSubmit = takingSilently(one);
  await rounds([one], MINUTE_MS);
  await callBack('one', `${id}-1`, 'provider_key');
  await rounds([one, two], MINUTE_MS, MINUTE_MS);
  await assertPaidOnce(id, one, `${id}-1`);
});

test('a payout that was turned away under its second key, and that its account calls back about without a key, is read under that key', async () => {
  const id = await unfunded();
  one.onSubmit = takingSilently(one);
  await rounds([one], MINUTE_MS);
  await callBack('one', id);
  await rounds([two, one], MINUTE_MS, MINUTE_MS);
  await assertPaidOnce(id, one, `${id}-1`);
});

test('a payout whose first key another account has used up is read at the account that calls back without a key', async () => {
  const id = await unfunded();
  two.onSubmit = takingSilently(two);
  await rounds([two], MINUTE_MS);
  one.onSubmit = () => undefined;
  await callBack('two', id);
  await rounds([one, two], MINUTE_MS, MINUTE_MS);
  await assertPaidOnce(id, two, `${id}-1`);
});

test('a late callback about a key that was used up keeps the payout from the next account only until it is read', async () => {
  const id = await unfunded();
  one.onSubmit = () => CLOSED;
  await rounds([one], MINUTE_MS);
  assert.equal((await row(id)).provider_key, `${id}-1`);
  await callBack('one', id);
  await rounds([two, one], ...HALF_AN_HOUR);
  await assertPaidOnce(id, two, `${id}-1`);
});

test('a payout that lacked funds, and that its account has shown after a callback, is sent again under the key that the account has', async () => {
  const id = await unfunded();
  await callBack('one', id);
  one.onRead = () => PENDING;
  await rounds([one], MINUTE_MS);
  const keys: string[] = [];
  one.onSubmit = ({ provider_key }) => {
    keys.push(provider_key);
    return PENDING;
  };
  one.onRead = () => ({ kind: 'not_found' });
  await rounds([one, two], 15 * MINUTE_MS);
  assert.deepEqual([keys, two.calls], [[id], []]);
});
