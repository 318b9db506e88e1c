import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { reserve } from '../../src/money/transaction-limits/service.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { newPayment, Payer } from './payer.ts';

/** Declines everybody but numbers that end in 9, whom it cannot reach at all. */
const provider: TestProvider = {
  name: 'declining',
  collects: () => true,
  submit: async ({ payer }) =>
    payer?.endsWith('9')
      ? { kind: 'unavailable', message: 'closed' }
      : { kind: 'refused', reason: 'wrong_pin', message: 'the PIN was wrong' },
  read: async () => ({ kind: 'pending', poll_after_ms: 60_000 }),
};
const HOUR_MS = 3_600_000;

const clock = new FakeClock();
let api: Api;
let merchant: Merchant;
before(async () => {
  api = await startApi({ clock, providers: new Registry({ sandbox: [provider], live: [provider] }) });
  merchant = await api.newMerchant({ verification_level: 3 });
});
after(() => api.stop());

async function tries(phone: string, count: number, key = merchant.live.secret): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await tryOnce(phone, key)).status);
  return statuses;
}

async function tryOnce(phone: string, key: string) {
  const { url, id } = await newPayment(api, { amount: 100 }, key);
  return { ...(await new Payer(url).json({ channel: 'cm.mtn', data: { phone } })), id, url };
}

test('429 for a phone with eight failed charges in an hour, counted over all payments of the team', async () => {
  assert.deepEqual(await tries('650000010', 8), Array(8).fill(402));
  const { status, body, headers, id, url } = await tryOnce('+237 6 50 00 00 10', merchant.live.secret);
  assert.deepEqual([status, body.retry_after, headers.get('retry-after')], [429, 3600, '3600']);
  const { transaction } = (await api.call('GET', `/payments/${id}`, { key: merchant.live.secret })).body;
  assert.deepEqual([transaction.status, transaction.attempts], ['pending', []], 'no attempt was made, no phone has rung');
  const payer = new Payer(url);
  await payer.get();
  const shown = await payer.submit({ channel: 'cm.mtn', phone: '650000010' });
  assert.equal(shown.status, 429);
  assert.match(shown.body, /Nothing was paid\. Please wait 60 minutes/);
  assert.equal((await tries('650000011', 1))[0], 402, 'another phone goes on');
  clock.advance(HOUR_MS);
  assert.equal((await tries('650000010', 1))[0], 402, 'and this one after an hour');
});

test('the limit is exact under concurrent charges', async () => {
  const statuses = await Promise.all(Array.from({ length: 14 }, () => tries('650000020', 1)));
  const declined = statuses.flat().filter((status) => status === 402).length;
  assert.deepEqual([declined, statuses.flat().filter((status) => status === 429).length], [8, 6]);
});

test('502 does not count for a phone that was never prompted', async () => {
  assert.deepEqual(await tries('650000039', 10), Array(10).fill(502));
});

test('any number of declined charges returns 402 in the sandbox, where test numbers are shared', async () => {
  assert.deepEqual(await tries('650000040', 10, merchant.sandbox.secret), Array(10).fill(402));
});

test('429 for a payment with a hundred charges in an hour that no provider took, whatever the phone', async () => {
  const { url } = await newPayment(api, { amount: 100 }, merchant.live.secret);
  const payer = new Payer(url);
  for (let i = 0; i < 100; i++) {
    if (i % 10 === 0) clock.advance(60_000);
    const data = { phone: `65000${100 + i}9` };
    const { status } = await payer.json({ channel: 'cm.mtn', data });
    assert.ok(status === 502, `${i}: ${status}`);
  }
  assert.equal((await payer.json({ channel: 'cm.mtn', data: { phone: '650000059' } })).status, 429);
  clock.advance(HOUR_MS);
  assert.equal((await payer.json({ channel: 'cm.mtn', data: { phone: '650000059' } })).status, 502);
});

test('a refusal that no other payment method avoids is shown above the form: 422 above a limit of the team, 402 without its verification', async () => {
  const french = { 'accept-language': 'fr' };
  const { team, live } = await api.newMerchant({ verification_level: 1 });
  const payer = new Payer((await newPayment(api, { amount: 100 }, live.secret)).url);
  await payer.get();
  const form = { channel: 'cm.mtn', phone: '650000060' };
  // All that the team may take in a day.
  const used = {
    team_id: team.id,
    direction: 'payment',
    currency: 'XAF',
    amount_minor: 200_000_000n,
    level: 1,
    at: clock.now(),
  } as const;
  await api.deps.stores.live.db.transaction((tx) => reserve(tx, used));
  const above = await payer.submit(form, '', french);
  assert.equal(above.status, 422);
  assert.match(
    above.body,
    /role="alert">Le marchand ne peut pas recevoir ce montant pour le moment\. Demandez-lui comment payer\./,
  );
  await api.setTeam(team, { verification_level: 0 });
  clock.advance(1_000);
  const unverified = await payer.submit(form, '', french);
  assert.equal(unverified.status, 402);
  assert.match(unverified.body, /role="alert">Ce marchand ne peut pas encore recevoir de paiements\. Rien n’a été débité\./);
  assert.match(unverified.body, /name="phone" value="650000060"/);
  const { body } = await payer.json(form, '', french);
  assert.deepEqual(
    [body.error_code, body.payer_message],
    ['merchant_not_verified', 'Ce marchand ne peut pas encore recevoir de paiements. Rien n’a été débité.'],
  );
  await api.setTeam(team, { verification_level: 4 });
  clock.advance(1_000);
  assert.equal((await payer.submit(form, '', french)).status, 303, 'a decline leads to the page, which says why');
});
