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
import { assertBooks, type Bank, bank, bucketsOf, forgetOpenTransfers, fund, journalsOf, TO_PHONE } from './support.ts';

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

/** A node with these providers; `chosen` happens after it has chosen among them, and before it sends. */
function node(sandbox: Bank[], chosen: () => Promise<unknown> = async () => undefined): () => Promise<number> {
  const { providers, router } = withProviders(new Registry({ sandbox, live: [] }));
  const choose: typeof router.choose = async (wanted) => {
    const choice = await router.choose(wanted);
    await chosen();
    return choice;
  };
  return transferSweep({ ...api.deps, providers, router: Object.assign(Object.create(router), { choose }) }, store()).round;
}

/** Rounds of a worker with these providers, a minute apart. */
async function rounds(count: number, ...sandbox: Bank[]): Promise<void> {
  const round = node(sandbox);
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

const resolvePaid = (id: string) =>
  resolveTransfer(
    api.deps,
    store(),
    { team_id: merchant.team.id, id },
    { as: 'succeeded', evidence: 'line 7', author: 'awa' },
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

/** A payout that its account turned away and that was ended by hand. The account does not know it. */
async function turnedAwayAndEnded(): Promise<string> {
  const id = await sent();
  one.onSubmit = () => ({ kind: 'unavailable', message: 'down' });
  one.onRead = () => ({ kind: 'not_found' });
  await rounds(1, one);
  await resolveFailed(id);
  return id;
}

test('a provider that had turned a payout away, calls back after it failed, and does not show it at once, is asked for ten minutes', async () => {
  const id = await turnedAwayAndEnded();
  await callBack(id);
  await rounds(5, one);
  assert.equal((await row(id)).paid_late_at, null);
  one.onRead = paid;
  await rounds(5, one);
  assert.notEqual((await row(id)).paid_late_at, null);
  await assertBooks(store(), merchant.team);
});

test('after ten minutes, "not found" answers the callback about a payout that was turned away', async () => {
  const id = await turnedAwayAndEnded();
  clock.advance(10 * MINUTE_MS);
  await callBack(id);
  await rounds(1, one);
  assert.equal((await row(id)).next_poll_at, null);
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

/** The balance has everything, and nothing is set aside. */
async function assertReturned(): Promise<void> {
  const { available, reserved, in_transit } = await bucketsOf(store(), merchant.team);
  assert.deepEqual([available, reserved, in_transit], [10_000, 0, 0]);
  await assertBooks(store(), merchant.team);
}

test('a payout that no account was ever found for is ended by a person, and never sent', async () => {
  const id = await sent();
  await rounds(3);
  await assert.rejects(resolvePaid(id), /processing and with no provider/);
  await resolveFailed(id);
  assert.equal((await row(id)).status, 'failed');
  assert.deepEqual(await journalsOf(store(), merchant.team, id), ['transfer.reserved', 'transfer.returned']);
  await assertReturned();
  await rounds(3, one);
  assert.deepEqual(one.calls, []);
  await assert.rejects(resolvePaid(id), /failed and with no provider/);
});

test('a payout that every account turns away is ended by a person; its last account may still report that it was paid', async () => {
  const id = await sent();
  for (const each of [one, two]) each.onSubmit = () => ({ kind: 'unavailable', message: 'down' });
  await rounds(4, one, two);
  assert.deepEqual([(await row(id)).stage, (await row(id)).dispatched_at], ['dispatched', null]);
  await assert.rejects(resolvePaid(id), /processing and with no provider/);
  await resolveFailed(id);
  assert.deepEqual(await journalsOf(store(), merchant.team, id), [
    'transfer.reserved',
    'transfer.dispatched',
    'transfer.returned',
  ]);
  await assertReturned();
  const calls = () => [...one.calls, ...two.calls].filter((call) => call === 'submit').length;
  const before = calls();
  await rounds(3, one, two);
  assert.equal(calls(), before);
  for (const each of [one, two]) each.onRead = paid;
  await resolvePaid(id);
  assert.notEqual((await row(id)).paid_late_at, null);
  await assertBooks(store(), merchant.team);
});

test('a statement does not end a payout that waits to be sent to another account', async () => {
  const id = await sent();
  one.onSubmit = () => ({ kind: 'unavailable', message: 'down' });
  await rounds(1, one);
  const { provider_key: key } = await row(id);
  await assert.rejects(resolveFailed(id, { provider_account: 'one', key, reference: null }), /processing and with no provider/);
});

test('a payout that a person ends while a node is about to send it is not sent', async () => {
  const id = await sent();
  await node([one], () => resolveFailed(id))();
  assert.deepEqual([one.calls, (await row(id)).status], [[], 'failed']);
  await assertReturned();
});

test('a payout that a person ends after one node turned it back, while another still sends it, is drawn again', async () => {
  const id = await sent();
  one.onRead = () => ({ kind: 'unfunded', message: 'the float is empty' });
  const meanwhile = async () => {
    clock.advance(2 * MINUTE_MS);
    await rounds(1, one);
    assert.equal((await row(id)).dispatched_at, null, 'the second node believes that nobody has it');
    await resolveFailed(id);
    await rounds(1, one);
    one.onRead = paid;
  };
  await rounds(2, whileSubmitting(meanwhile, PENDING));
  await rounds(1, one);
  const { status, paid_late_at } = await row(id);
  assert.deepEqual([status, paid_late_at !== null], ['failed', true]);
  await assertBooks(store(), merchant.team);
});

test('of two nodes and a person at the same moment: what left is paid or drawn again, and nothing else', async () => {
  const ids = await Promise.all(Array.from({ length: 9 }, sent));
  const nodes = [node([one]), node([one])];
  const ending = ids.map((id) => resolveFailed(id).catch(() => undefined));
  await Promise.all([...nodes.map((round) => round()), ...ending]);
  await rounds(5, one);
  const rows = await Promise.all(ids.map(row));
  const left = rows.filter(({ status, paid_late_at }) => status === 'succeeded' || paid_late_at !== null);
  assert.deepEqual(left.map(({ provider_key }) => provider_key).sort(), [...one.taken.keys()].sort());
  assert.equal(rows.filter(({ status }) => status === 'processing').length, 0);
  await assertBooks(store(), merchant.team);
});
