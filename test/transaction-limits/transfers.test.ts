import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import type { PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { bank, forgetOpenTransfers, fund } from '../transfers/support.ts';
import { FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';

const clock = new FakeClock();
clock.advance(86_400_000 - (clock.now() % 86_400_000) + 3_600_000);
const paying = bank('one');
const api = await startApi({ workers: false, clock, providers: new Registry({ sandbox: [paying], live: [paying] }) });
after(() => api.stop());
const store = api.deps.stores.live;
const sweep = transferSweep(api.deps, store);

let merchant: Merchant;
beforeEach(async () => {
  await forgetOpenTransfers(store);
  merchant = await api.newMerchant({ verification_level: 1 });
  paying.onSubmit = () => undefined;
  paying.onRead = () => undefined;
});

const send = (amount: number, key = merchant.live.secret) =>
  api.call('POST', '/transfers', { key, body: { amount, currency: 'XAF', recipient: '+237650000000', channel: 'cm.mtn' } });
const used = async () => {
  const [row] = await store.db.all<{ used_minor: bigint }>(sql`
    select used_minor from ceiling_uses
    where team_id = ${merchant.team.id} and direction = 'transfer' and length(period) = 10`);
  return Number((row?.used_minor ?? 0n) / 100n);
};

test('422 for a live payout of a team that is not verified', async () => {
  merchant = await api.newMerchant();
  const { status, body } = await send(1_000);
  assert.deepEqual([status, body.error_code, Object.keys(body.errors)], [422, 'merchant_not_verified', ['amount']]);
});

test('422 for one payout above the limit of its currency; on level 2 it is accepted', async () => {
  await fund(api, merchant.team, 10_000_000, store);
  const { status, body } = await api.call('POST', '/transfers', {
    key: merchant.live.secret,
    body: { amount: 500_001, currency: 'XAF', recipient: '10003-00100-000000', channel: 'cm.bank' },
  });
  assert.deepEqual([status, body.error_code, Object.keys(body.errors)], [422, 'ceiling_exceeded', ['amount']]);
  await api.setTeam(merchant.team, { verification_level: 2 });
  // Keys are remembered with their team, by the clock of the test too.
  clock.advance(1_000);
  const allowed = await api.call('POST', '/transfers', {
    key: merchant.live.secret,
    body: { amount: 500_001, currency: 'XAF', recipient: '10003-00100-000000', channel: 'cm.bank' },
  });
  assert.equal(allowed.status, 201, JSON.stringify(allowed.body));
});

test('many payouts at once: exactly as many succeed as the daily limit allows, and the rest of the balance stays', async () => {
  await fund(api, merchant.team, 10_000_000, store);
  const answers = await Promise.all(Array.from({ length: 40 }, () => send(60_000)));
  const processing = answers.filter(({ status, body }) => status === 201 && body.transfer.status === 'processing');
  const refused = answers.filter(({ status, body }) => status === 422 && body.error_code === 'ceiling_exceeded');
  assert.deepEqual([processing.length, refused.length, await used()], [16, 24, 960_000]);
  assert.equal((await store.db.all(sql`select 1 from transfers where team_id = ${merchant.team.id}`)).length, 16);
});

test('a payout that exceeds the balance is failed and not counted', async () => {
  await fund(api, merchant.team, 1_000, store);
  const { body } = await send(100_000);
  assert.deepEqual([body.transfer.status, body.transfer.reason, await used()], ['failed', 'insufficient_balance', 0]);
});

const ENDS: [outcome: PayoutOutcome, counted: number][] = [
  [{ kind: 'failed', reason: 'invalid_recipient', message: 'no' }, 0],
  [{ kind: 'cancelled', message: 'no' }, 0],
  [{ kind: 'succeeded', provider_ref: 'x', amount_minor: 10_000_000n, currency: 'XAF' }, 100_000],
  [{ kind: 'unknown', message: 'timeout' }, 100_000],
  [{ kind: 'unavailable', message: 'closed' }, 100_000],
];

for (const [outcome, counted] of ENDS) {
  test(`a payout that is ${outcome.kind} leaves ${counted} of 100000 counted`, async () => {
    await fund(api, merchant.team, 1_000_000, store);
    const { status } = await send(100_000);
    assert.deepEqual([status, await used()], [201, 100_000]);
    paying.onSubmit = () => outcome;
    await sweep.round();
    assert.equal(await used(), counted);
  });
}

test('nothing is counted in the sandbox and on level 4', async () => {
  merchant = await api.newMerchant({ verification_level: 4 });
  await fund(api, merchant.team, 10_000_000, store);
  for (let i = 0; i < 3; i++) assert.equal((await send(490_000)).status, 201);
  await fund(api, merchant.team, 10_000_000, api.deps.stores.sandbox);
  for (let i = 0; i < 3; i++) assert.equal((await send(490_000, merchant.sandbox.secret)).status, 201);
  const counted = await Promise.all(
    [store, api.deps.stores.sandbox].map(({ db }) => db.all(sql`select 1 from ceiling_uses where team_id = ${merchant.team.id}`)),
  );
  assert.deepEqual(counted, [[], []]);
});
