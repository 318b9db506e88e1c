import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { post } from '../../src/money/ledger/post.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { Registry } from '../setup/providers.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { paid, paymentIn } from '../setup/pay.ts';

let api: Api;
let clock: FakeClock;

before(async () => {
  clock = new FakeClock();
  const provider = sandboxProvider({ clock, delay_ms: 0 });
  api = await startApi({ clock, providers: new Registry({ sandbox: [provider], live: [provider] }) });
});
after(() => api.stop());

async function verified(): Promise<{ merchant: Merchant; key: string }> {
  const merchant = await api.newMerchant({ verification_level: 4, plan: 'unlimited' });
  return { merchant, key: merchant.live.secret };
}

async function books(merchant: Merchant): Promise<Record<string, number>> {
  const all = await readBalances(api.deps.stores.live.db, merchant.team.id, 'XAF');
  return Object.fromEntries([...all].map(([name, amount]) => [name, Number(amount) / 100]));
}

test('live money is retained: mobile money 24 h, bank 48 h; then it is available and the payment settled', async () => {
  const { merchant, key } = await verified();
  const mobile = await paid(api, { key, amount: 10_000 });
  const created = await api.call('POST', '/payments', { key, body: { amount: 20_000, currency: 'XAF', phone: '1' } });
  const bank = created.body.transaction.id as string;
  await api.call('POST', `/payments/${bank}`, { key, body: { channel: 'cm.bank', data: { account_number: '0001000000' } } });
  await paymentIn(api, bank, ['succeeded'], { key });
  assert.deepEqual([(await books(merchant)).pending, (await books(merchant)).available ?? 0], [9_800 + 19_700, 0]);
  assert.equal((await api.call('GET', `/payments/${mobile}`, { key })).body.transaction.settled, false);
  clock.advance(24 * 3_600_000);
  await until(
    () => books(merchant),
    ({ available }) => available === 9_800,
  );
  assert.equal((await api.call('GET', `/payments/${mobile}`, { key })).body.transaction.settled, true);
  assert.equal((await api.call('GET', `/payments/${bank}`, { key })).body.transaction.settled, false);
  clock.advance(24 * 3_600_000);
  await until(
    () => books(merchant),
    ({ available, pending }) => available === 29_500 && pending === 0,
  );
  assert.equal((await api.call('GET', `/payments/${bank}`, { key })).body.transaction.settled, true);
});

test('sandbox money is not retained: it is settled in the event of the success', async () => {
  const id = await paid(api);
  const events = (await api.call('GET', '/events?type=payment.succeeded&per_page=100')).body.items;
  const event = events.find((one: { data: { id: string } }) => one.data.id === id);
  assert.equal(event.data.settled, true);
  assert.deepEqual(event.data, (await api.call('GET', `/payments/${id}`)).body.transaction);
});

test('bearer customer: the payer is charged amount plus fee, the merchant gets the amount', async () => {
  const { merchant, key } = await verified();
  const id = await paid(api, { key, amount: 10_000, bearer: 'customer' });
  const { transaction } = (await api.call('GET', `/payments/${id}`, { key })).body;
  assert.deepEqual(
    [transaction.amount, transaction.fee, transaction.amount_total, transaction.amount_captured],
    [10_000, 200, 10_200, 10_200],
  );
  assert.deepEqual([(await books(merchant)).pending, (await books(merchant)).fee_income], [10_000, 200]);
  clock.advance(24 * 3_600_000);
  await until(
    () => books(merchant),
    ({ available, pending }) => available === 10_000 && pending === 0,
  );
});

/** The platform advances money to a party, which is gone. */
async function advance({ db }: Store, team_id: bigint, credit: Account, amount_minor: bigint): Promise<void> {
  const postings = [{ debit: credit, credit: 'clearing' as const, amount_minor }];
  const journal = { team_id, kind: 'advanced', source_id: 'test', subject_id: 'test', currency: 'XAF', postings };
  await db.transaction((tx) => post(tx, [journal]));
}

async function account(key: string, split: object): Promise<string> {
  const { status, body } = await api.call('POST', '/accounts', {
    key,
    body: { name: 'Boutique', email: 'b@shop.example', split },
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.account.id;
}

test('X-Sync: the split is posted at success and reversed in proportion by a refund', async () => {
  const { merchant, key } = await verified();
  const id = await account(key, { type: 'percentage', value: 10 });
  const payment = await paid(api, { key, amount: 10_000, headers: { 'x-sync': id } });
  assert.equal((await api.call('GET', `/payments/${payment}`, { key })).body.transaction.account, id);
  const sub = `pending:${id}`;
  assert.deepEqual([(await books(merchant)).pending, (await books(merchant))[sub]], [980, 8_820]);
  await api.call('POST', '/refunds', { key, body: { payment, amount: 1_000, reason: 'duplicate' } });
  await until(
    () => books(merchant),
    (now) => now[sub] === 8_820 - 882 && now.pending === 980 - 118,
  );
  const balance = (await api.call('GET', '/balance', { key, headers: { 'x-sync': id } })).body;
  assert.deepEqual([balance.pending, balance.total], [7_938, 7_938]);
});

test('a fixed split never takes more than the net amount, and a changed split affects new payments only', async () => {
  const { merchant, key } = await verified();
  const id = await account(key, { type: 'fixed', value: 500 });
  await paid(api, { key, amount: 10_000, headers: { 'x-sync': id } });
  assert.deepEqual([(await books(merchant)).pending, (await books(merchant))[`pending:${id}`]], [500, 9_300]);
  await paid(api, { key, amount: 300, headers: { 'x-sync': id } });
  assert.deepEqual([(await books(merchant)).pending, (await books(merchant))[`pending:${id}`]], [500 + 294, 9_300]);
});

test('404 for an unknown account, and 422 for a deactivated one', async () => {
  const { key } = await verified();
  const id = await account(key, { type: 'percentage', value: 10 });
  const create = (sync: string, other = key) =>
    api.call('POST', '/payments', {
      key: other,
      headers: { 'x-sync': sync },
      body: { amount: 100, currency: 'XAF', phone: '1' },
    });
  for (const [sync, other] of [
    ['acct_nothing', key],
    [id, (await verified()).key],
    [id, (await api.newMerchant()).sandbox.secret],
  ]) {
    const answer = await create(sync as string, other);
    assert.deepEqual([answer.status, answer.body.message], [404, 'Account Not Found']);
  }
  await api.call('POST', `/accounts/${id}/deactivate`, { key });
  const answer = await create(id);
  assert.equal(answer.status, 422);
  assert.ok(answer.body.errors.account);
});

test('money of two currencies that is released at the same moment becomes available in both', async () => {
  const { merchant, key } = await verified();
  await paid(api, { key, amount: 10_000 });
  await paid(api, { key, amount: 20_000, currency: 'XOF', channel: 'ci.mtn', phone: '0500000000' });
  clock.advance(24 * 3_600_000);
  const availableIn = async (currency: string) => {
    const all = await readBalances(api.deps.stores.live.db, merchant.team.id, currency);
    return [all.get('available'), all.get('pending')];
  };
  await until(
    () => availableIn('XAF'),
    ([available]) => available === 980_000n,
  );
  await until(
    () => availableIn('XOF'),
    ([available, pending]) => available === 1_960_000n && pending === 0n,
  );
});

test('money of a split payment that is released repays what each party owes', async () => {
  const { merchant, key } = await verified();
  const id = await account(key, { type: 'percentage', value: 10 });
  const headers = { 'x-sync': id };
  const { live } = api.deps.stores;
  const opening = {
    team_id: merchant.team.id,
    payment_id: await paid(api, { key, amount: 10_000, headers }),
    reason: 'fraudulent',
  };
  await openDispute(api.deps, live, opening);
  const { credit, [`credit:${id}`]: none } = await books(merchant);
  assert.deepEqual([credit, none], [-200, 0], 'the fee falls on the team');
  await advance(live, merchant.team.id, `credit:${id}`, 18_000n);
  await paid(api, { key, amount: 10_000, headers });
  clock.advance(24 * 3_600_000);
  await until(
    () => books(merchant),
    (now) => now.available === 780 && now[`available:${id}`] === 8_640 && now.credit === 0 && now[`credit:${id}`] === 0,
  );
});

test('money of two currencies that is released at the same moment repays what is owed in both', async () => {
  const { merchant, key } = await verified();
  const { live } = api.deps.stores;
  const francs = [
    { key, amount: 10_000 },
    { key, amount: 20_000, currency: 'XOF', channel: 'ci.mtn', phone: '0500000000' },
  ];
  for (const franc of francs) {
    const payment_id = await paid(api, franc);
    await openDispute(api.deps, live, { team_id: merchant.team.id, payment_id, reason: 'fraudulent' });
  }
  for (const franc of francs) await paid(api, franc);
  clock.advance(24 * 3_600_000);
  const booksIn = async (currency: string) => {
    const all = await readBalances(live.db, merchant.team.id, currency);
    return (['pending', 'available', 'credit'] as const).map((name) => Number(all.get(name) ?? 0n) / 100);
  };
  const released = ([pending]: number[]) => pending === 0;
  assert.deepEqual(await until(() => booksIn('XAF'), released), [0, 9_600, 0], 'the credit was the fee, 200');
  assert.deepEqual(await until(() => booksIn('XOF'), released), [0, 19_200, 0], 'the credit was the fee, 400');
});
