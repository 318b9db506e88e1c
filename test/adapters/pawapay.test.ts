import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, beforeEach, test } from 'node:test';
import type { Collection, Payout, Provider } from '../../src/providers/adapters/contract.ts';
import { areaOf } from '../../src/providers/adapters/pawapay/channels.ts';
import { pawapay } from '../../src/providers/adapters/pawapay/index.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { pawapaySimulator } from '../../simulators/pawapay/index.ts';
import { type Line, SLOW_MS, tools } from './fixture.ts';
import { UNPRINTABLE } from './hostile.ts';
import { collectionOn } from './pieces.ts';
import { answered, stubOf } from './wire-stub.ts';

const line = (id: string, currency: string, amount_minor: bigint, stem: string): Line => ({
  channel: { id, kind: 'mobile_money', country: id.slice(0, 2).toUpperCase() },
  ...{ currency, amount_minor, stem },
});
const CAMEROON = line('cm.mtn', 'XAF', 500_000n, '+237653');
const GHANA = line('gh.mtn', 'GHS', 1_050n, '+233241');
const WAVE = line('ci.wave', 'XOF', 500_000n, '+2250701');
const BURKINA = line('bf.orange', 'XOF', 500_000n, '+22607');

const signer = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signing_key = signer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let simulator: Simulator;
let provider: Provider;
let now = Date.now();

/** A new account at the simulator, which knows nothing yet. */
function connect(credentials: Record<string, string> = {}, given = tools): Provider {
  return pawapay.connect({ id: 'pa_one', environment: 'live', credentials: { ...simulator.credentials, ...credentials } }, given);
}

before(async () => {
  simulator = await startSimulator(pawapaySimulator, { delay_ms: 20, slow_ms: SLOW_MS });
});
after(() => simulator.stop());
beforeEach(() => {
  simulator.recover();
  simulator.settings.clear();
  now = Date.now();
  provider = connect();
});

/** The request that created this. */
const wireOf = (key: string) => simulator.book.find(key)?.wire ?? assert.fail('nothing was created');

/** Until the configuration that is read in the background has come. */
async function whenConfigured(one: Provider, isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo() && tries < 200; tries++) await sleep(10);
  assert.ok(isSo(), `the configuration of ${one.name} was not taken over`);
}

const offered = (one: Provider, channel: string) => one.offers()?.filter((offer) => offer.channel === channel) ?? [];

test('M-Pesa of the DRC accepts whole units: its offer says so before the account is read, and cents are never sent', async () => {
  const congo = line('cd.vodacom', 'CDF', 1_050n, '+243813');
  const steps = () => offered(provider, 'cd.vodacom').map(({ step_minor }) => step_minor);
  assert.deepEqual(steps(), [100n, 100n]);
  const sent = () => simulator.requests.filter(({ path }) => path === '/v2/deposits').length;
  const before = sent();
  assert.equal((await provider.submit(collectionOn(provider, congo))).kind, 'unavailable');
  assert.equal(sent(), before);
  assert.equal((await provider.submit(collectionOn(provider, { ...congo, amount_minor: 100_000n }))).kind, 'accepted');
  await whenConfigured(provider, () => steps().length === 4);
  assert.deepEqual(steps(), [100n, 100n, 100n, 100n]);
});

test('the offer is the public list at first, without a call, then what the account supports', async () => {
  const first = offered(provider, 'cm.mtn');
  assert.deepEqual(
    first.map(({ max_minor, operations }) => [max_minor, operations]),
    [[null, ['collect', 'payout']]],
  );
  await whenConfigured(provider, () => offered(provider, 'cm.mtn').length === 2);
  assert.deepEqual(
    offered(provider, 'cm.mtn').map(({ operations, min_minor, max_minor, step_minor }) => [
      operations,
      min_minor,
      max_minor,
      step_minor,
    ]),
    [
      [['collect'], 100n, 50_000_000n, 100n],
      [['payout'], 100n, 50_000_000n, 100n],
    ],
  );
  assert.deepEqual(
    offered(provider, 'gh.mtn').map(({ step_minor }) => step_minor),
    [null, null],
  );
});

test('an operator that is closed is not offered; a delayed one still pays out', async () => {
  simulator.settings.set('closed', 'MTN_MOMO_CMR');
  simulator.settings.set('delayed', 'ORANGE_CMR');
  await whenConfigured(provider, () => offered(provider, 'cm.mtn').length === 0);
  assert.deepEqual(
    offered(provider, 'cm.orange').map(({ operations }) => operations),
    [['payout']],
  );
  const closed = (channel: string) =>
    (['collect', 'payout'] as const).map((operation) => provider.isClosed?.(operation, channel, 'XAF'));
  assert.deepEqual(
    [closed('cm.mtn'), closed('cm.orange')],
    [
      [true, true],
      [true, false],
    ],
  );
  assert.equal(provider.isClosed?.('payout', 'cm.mtn', 'XOF'), false, 'the account does not have it');
  const requests = simulator.requests.length;
  assert.equal((await provider.submit(collectionOn(provider, CAMEROON))).kind, 'unavailable');
  assert.equal(simulator.requests.length, requests, 'nothing was sent');
});

test('the configuration is refreshed after some minutes, once for concurrent callers, and kept when that fails', async () => {
  const one = connect({}, { ...tools, clock: { now: () => now } });
  const reads = () => simulator.requests.filter(({ path }) => path === '/v2/active-conf').length;
  const before = reads();
  for (let i = 0; i < 20; i++) one.offers();
  await whenConfigured(one, () => offered(one, 'cm.mtn').length === 2);
  assert.equal(reads(), before + 1);
  now += 300_000;
  simulator.faults.script({ fault: 'page_uncreated', doing: 'other' });
  one.offers();
  for (let tries = 0; reads() < before + 2 && tries < 200; tries++) await sleep(5);
  assert.equal(reads(), before + 2);
  await sleep(50);
  assert.equal(offered(one, 'cm.mtn').length, 2, 'a page of HTML is no configuration');
});

test('the configuration is refreshed after the clock was set back', async () => {
  const one = connect({}, { ...tools, clock: { now: () => now } });
  const reads = () => simulator.requests.filter(({ path }) => path === '/v2/active-conf').length;
  await whenConfigured(one, () => offered(one, 'cm.mtn').length === 2);
  const before = reads();
  now -= 3_600_000;
  one.offers();
  for (let tries = 0; reads() === before && tries < 200; tries++) await sleep(5);
  assert.equal(reads(), before + 1);
});

test('an operator that is not named by a text is left out of the configuration', async () => {
  const [first, second] = [UNPRINTABLE, 'MTN_MOMO_CMR'].map((name) => ({
    provider: name,
    currencies: [{ currency: 'XAF', operationTypes: { DEPOSIT: { status: 'OPERATIONAL', decimalsInAmount: 'NONE' } } }],
  }));
  const one = stubOf(pawapay, { api_token: 't' }, () => answered(200, { countries: [{ providers: [first, second] }] })).provider;
  await whenConfigured(one, () => one.offers()?.length === 1);
  assert.equal(offered(one, 'cm.mtn').length, 1);
});

test('an account charges immediately, before its configuration was first read', async () => {
  simulator.faults.script({ fault: 'slow_uncreated', doing: 'other' });
  const said = await provider.submit(collectionOn(provider, CAMEROON));
  assert.equal(said.kind, 'accepted');
});

test('a closed operator in the response lets another provider be tried; an invalid number does not', async () => {
  const collection = collectionOn(provider, CAMEROON);
  simulator.faults.script({ fault: 'closed', name: collection.provider_key });
  const said = await provider.submit(collection);
  assert.ok(said.kind === 'unavailable' && said.message.includes('PROVIDER_TEMPORARILY_UNAVAILABLE'));
  const bad = await provider.submit({ ...collectionOn(provider, CAMEROON), payer: '+237' });
  assert.ok(bad.kind === 'refused');
  assert.deepEqual([bad.reason, bad.message], ['invalid_number', 'INVALID_PHONE_NUMBER: The phone number 237 is not valid.']);
});

test('an amount that the operator does not support is never rounded', async () => {
  const said = await provider.submit({ ...collectionOn(provider, CAMEROON), amount_minor: 500_050n });
  assert.equal(said.kind, 'unavailable');
  const cents = collectionOn(provider, GHANA);
  await provider.submit(cents);
  assert.equal(simulator.book.find(cents.provider_key)?.amount_minor, 1_050n);
});

test('the statement text has plain letters only, and is omitted when it becomes too short', async () => {
  const accents = { ...collectionOn(provider, CAMEROON), description: 'Réf. n°12 — œufs & café du marché' };
  await provider.submit(accents);
  assert.equal(wireOf(accents.provider_key).customerMessage, 'Ref n 12 oeufs cafe du');
  const arabic = { ...collectionOn(provider, CAMEROON), description: 'دفع 7' };
  await provider.submit(arabic);
  assert.equal(wireOf(arabic.provider_key).customerMessage, undefined);
});

test('a Wave payer is redirected to the page in the status response', async () => {
  const collection = collectionOn(provider, WAVE);
  simulator.faults.script({ fault: 'stuck', name: collection.provider_key });
  const said = await provider.submit(collection);
  assert.ok(said.kind === 'accepted' && said.next.kind === 'redirect');
  assert.equal(said.next.url, `${simulator.url}/pay/${collection.provider_key}`);
  assert.equal(wireOf(collection.provider_key).backUrl, collection.return_url);
});

test('nothing is sent before the payer has entered the code where one is required first', async () => {
  const collection: Collection = { ...collectionOn(provider, BURKINA), submitted_at: Date.now() };
  const said = await provider.submit(collection);
  assert.ok(said.kind === 'accepted' && said.next.kind === 'otp' && said.code_first);
  assert.equal(simulator.book.find(collection.provider_key), undefined);
  assert.equal((await provider.read({ ...collection, awaits_code: true })).kind, 'pending');
  const wrong = await provider.continue?.(collection, { kind: 'otp', otp: '123' });
  assert.equal(wrong?.kind, 'refused');
  assert.equal((await provider.continue?.(collection, { kind: 'otp', otp: '123456' }))?.kind, 'accepted');
  await simulator.idle();
  assert.equal((await provider.read(collection)).kind, 'succeeded');
});

for (const [what, on, sent_late_ms] of [
  ['whose code never came has expired fifteen minutes after its payment', BURKINA, -1],
  ['whose operator no longer requires a code, too', CAMEROON, -1],
  ['whose code was sent after its payment has expired fifteen minutes after that', BURKINA, 1_000],
] as const)
  test(`a charge ${what}, and no earlier`, async () => {
    const collection: Collection = collectionOn(provider, on);
    const waiting = { ...collection, submitted_at: collection.expires_at + sent_late_ms, awaits_code: true };
    const readAt = async (late_ms: number) =>
      (await connect({}, { ...tools, clock: { now: () => collection.expires_at + late_ms } }).read(waiting)).kind;
    const end_ms = 900_000 + Math.max(sent_late_ms, 0);
    assert.deepEqual([await readAt(end_ms - 1), await readAt(end_ms)], ['pending', 'expired']);
    assert.equal(provider.capabilities.not_found_grace_ms, 900_000);
  });

test('a payment that pawaPay resolves with the operator is pending and rarely polled', async () => {
  const collection = collectionOn(provider, CAMEROON);
  simulator.faults.script({ fault: 'stuck', name: collection.provider_key });
  await provider.submit(collection);
  const reading = await provider.read(collection);
  assert.ok(reading.kind === 'pending' && reading.poll_after_ms >= 60_000);
});

test('requests that move money are signed where the account has a key', async () => {
  const public_key = signer.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  simulator.settings.set('public_key', public_key);
  const refused = await provider.submit(collectionOn(provider, CAMEROON));
  assert.ok(refused.kind === 'unavailable' && refused.message.includes('HTTP_SIGNATURE_ERROR'));
  const signed = connect({ signing_key, signing_key_id: 'CUSTOMER:1' });
  assert.equal((await signed.submit(collectionOn(signed, CAMEROON))).kind, 'accepted');
});

const payoutOn = (one: Provider, digits = '555555'): Payout => ({
  ...{
    transfer_id: 'po_1',
    provider_key: one.keyOf(`po_${Math.random()}`),
    provider_ref: null,
    amount_minor: 500_000n,
    currency: 'XAF',
  },
  ...{ channel: CAMEROON.channel, description: 'Salaire', callback_url: 'http://127.0.0.1:9', submitted_at: null },
  recipient: { name: 'Awa', phone: `+237653${digits}`, account_number: null, bank_code: null },
});

test('a queued payout can be cancelled, a submitted one cannot', async () => {
  simulator.settings.set('delayed', 'MTN_MOMO_CMR');
  const waiting = payoutOn(provider);
  assert.equal((await provider.payouts?.submit(waiting))?.kind, 'pending');
  assert.equal((await provider.payouts?.read(waiting))?.kind, 'pending');
  assert.deepEqual(await provider.payouts?.cancel?.(waiting), { kind: 'cancelled' });
  assert.equal((await provider.payouts?.read(waiting))?.kind, 'cancelled');
  simulator.settings.clear();
  const sent = payoutOn(provider);
  await provider.payouts?.submit(sent);
  await simulator.idle();
  assert.equal((await provider.payouts?.cancel?.(sent))?.kind, 'too_late');
});

test('an empty wallet is no failure of a payout: rejected at once it is unavailable, failed later it is unfunded', async () => {
  for (const [empty_wallet, kind] of [
    ['rejected', 'unavailable'],
    ['failed', 'unfunded'],
  ] as const) {
    simulator.settings.set('empty_wallet', empty_wallet);
    const payout = payoutOn(provider);
    simulator.faults.script({ fault: 'float_exhausted', name: payout.provider_key });
    const submitted = await provider.payouts?.submit(payout);
    await simulator.idle();
    const outcome = submitted?.kind === 'pending' ? await provider.payouts?.read(payout) : submitted;
    assert.ok(outcome?.kind === kind && outcome.message.includes('PAWAPAY_WALLET_OUT_OF_FUNDS'), JSON.stringify(outcome));
    assert.deepEqual(
      simulator.book.created(payout.provider_key).map(({ moved }) => moved),
      kind === 'unavailable' ? [] : [false],
    );
  }
});

test('an empty wallet is no failure of a refund either', async () => {
  for (const [empty_wallet, kind] of [
    ['rejected', 'unavailable'],
    ['failed', 'unfunded'],
  ] as const) {
    simulator.settings.set('empty_wallet', empty_wallet);
    const collection = collectionOn(provider, CAMEROON);
    await provider.submit(collection);
    await simulator.idle();
    const refund_id = `rfd_empty_${empty_wallet}`;
    const refund = {
      ...{ refund_id, provider_key: provider.keyOf(refund_id), provider_ref: null, amount_minor: 200_000n, currency: 'XAF' },
      ...{ collection, callback_url: 'http://127.0.0.1:9', submitted_at: null },
    };
    simulator.faults.script({ fault: 'float_exhausted', name: refund.provider_key });
    const submitted = await provider.refunds?.submit(refund);
    await simulator.idle();
    const outcome = submitted?.kind === 'pending' ? await provider.refunds?.read(refund) : submitted;
    assert.equal(outcome?.kind, kind);
  }
});

/** Returns what makes a refund of a part of a collection. */
const partsOf = (collection: Collection) => (id: string, amount_minor: bigint) => ({
  ...{ refund_id: id, provider_key: provider.keyOf(id), provider_ref: null, amount_minor, currency: 'XAF', collection },
  ...{ callback_url: 'http://127.0.0.1:9', submitted_at: null },
});

test('refunds go in parts, one at a time, and never above what was paid', async () => {
  const collection = collectionOn(provider, CAMEROON);
  await provider.submit(collection);
  await simulator.idle();
  const part = partsOf(collection);
  const { refunds } = provider;
  const run = Math.random();
  simulator.faults.script({ fault: 'stuck' });
  assert.equal((await refunds?.submit(part(`rfd_a${run}`, 200_000n)))?.kind, 'pending');
  const meanwhile = await refunds?.submit(part(`rfd_b${run}`, 200_000n));
  assert.equal(meanwhile?.kind, 'unavailable', 'not now: nothing was created');
  simulator.recover();
  await simulator.idle();
  assert.equal((await refunds?.submit(part(`rfd_b${run}`, 300_000n)))?.kind, 'pending');
  await simulator.idle();
  assert.equal((await refunds?.read(part(`rfd_b${run}`, 300_000n)))?.kind, 'succeeded');
  assert.equal(simulator.book.refunded(collection.provider_key), 500_000n);
});

test('a refund of a deposit that was refunded without this service, as a whole or in part, is never called failed', async () => {
  const collection = collectionOn(provider, CAMEROON);
  await provider.submit(collection);
  await simulator.idle();
  const of = partsOf(collection);
  const { refunds } = provider;
  const run = Math.random();
  // As from the dashboard of the provider.
  for (const [elsewhere, amount_minor] of [
    [`rfd_x${run}`, 200_000n],
    [`rfd_y${run}`, 300_000n],
  ] as const) {
    await refunds?.submit(of(elsewhere, amount_minor));
    await simulator.idle();
    const own = of(`rfd_whole_${elsewhere}`, 500_000n);
    assert.equal((await refunds?.submit(own))?.kind, 'unknown');
    assert.equal((await refunds?.read(own))?.kind, 'not_found', 'a rejected request is not kept');
  }
});

test('a refund with decimals that the operator does not take has failed: nothing was sent', async () => {
  const collection: Collection = {
    ...collectionOn(provider, CAMEROON),
    channel: { id: 'cd.vodacom', kind: 'mobile_money', country: 'CD' },
  };
  const refund = {
    ...{ refund_id: 'rfd_1', provider_key: provider.keyOf('rfd_1'), provider_ref: null, amount_minor: 5_050n, currency: 'CDF' },
    ...{ collection, callback_url: 'http://127.0.0.1:9', submitted_at: null },
  };
  assert.equal(provider.refunds?.stepOf?.('cd.vodacom', 'CDF'), 100n);
  assert.equal(provider.refunds?.stepOf?.('ke.mpesa', 'KES'), 1n);
  const outcome = await provider.refunds?.submit(refund);
  assert.deepEqual(outcome, { kind: 'failed', reason: 'provider_error', message: 'pawaPay cannot refund this amount in CDF' });
  assert.equal(simulator.book.find(refund.provider_key), undefined);
});

test('a refund below the minimum of the operator has failed: a later one would not fare better', async () => {
  const collection = collectionOn(provider, GHANA);
  await provider.submit(collection);
  await simulator.idle();
  const refund = {
    ...{ refund_id: 'rfd_2', provider_key: provider.keyOf('rfd_2'), provider_ref: null, amount_minor: 50n, currency: 'GHS' },
    ...{ collection, callback_url: 'http://127.0.0.1:9', submitted_at: null },
  };
  const outcome = await provider.refunds?.submit(refund);
  assert.ok(outcome?.kind === 'failed' && outcome.reason === 'limit_exceeded', JSON.stringify(outcome));
});

test('a lookup does not find a number of another operator on the channel', async () => {
  assert.deepEqual(await provider.lookup?.('cm.mtn', '+237653111222'), { kind: 'found', name: null });
  assert.deepEqual(await provider.lookup?.('cm.orange', '+237653111222'), { kind: 'not_found' });
  assert.deepEqual(await provider.lookup?.('cm.mtn', '+1'), { kind: 'not_found' });
});

test('a wallet serves its country or the channel of its operator; one of an unsupported operator is omitted', async () => {
  assert.equal(areaOf('CMR', undefined), 'cm');
  assert.equal(areaOf('SEN', 'WAVE_SEN'), 'sn.wave');
  for (const [country, operator] of [['MWI'], [undefined], ['cmr'], ['CMR', 'NOBODY_CMR']])
    assert.equal(areaOf(country, operator), null);
  const reading = await provider.balance?.();
  assert.ok(reading?.kind === 'held');
  const purses = reading.floats.map(({ currency, area }) => `${area} ${currency}`);
  for (const purse of ['cm XAF', 'ci XOF', 'sn XOF', 'gh GHS'])
    assert.ok(purses.includes(purse), `${purse} in ${purses.join(', ')}`);
  assert.equal(new Set(purses).size, purses.length);
});
