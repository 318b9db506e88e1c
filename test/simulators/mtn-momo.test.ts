import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, suite, test } from 'node:test';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { mtnMomoSimulator } from '../../simulators/mtn-momo/index.ts';
import { tools } from '../adapters/fixture.ts';
import { collection } from '../adapters/mtn-momo-stub.ts';
import { payoutFor, refundFor } from '../adapters/wire-stub.ts';

const USER = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** MTN's own sandbox numbers: what the adapter first says, and what it comes to; `pending` stays so. */
const NUMBERS = {
  collect: [
    ['450', 'accepted', 'failed operator_declined'],
    ['451', 'accepted', 'cancelled payer_declined'],
    ['452', 'accepted', 'failed authorization_timeout'],
    ['453', 'accepted', 'pending'],
    ['454', 'accepted', 'succeeded'],
    ['455', 'accepted', 'failed invalid_number'],
    ['456', 'accepted', 'failed operator_declined'],
    ['457', 'unavailable', 'not_found'],
    ['458', 'unavailable', 'not_found'],
    ['459', 'unavailable', 'not_found'],
    ['460', 'unavailable', 'not_found'],
    ['461', 'unknown', 'not_found'],
    ['462', 'unknown', 'not_found'],
    ['463', 'accepted', 'failed authorization_timeout'],
    ['464', 'unknown', 'not_found'],
  ],
  payout: [
    ['450', 'pending', 'failed null'],
    ['451', 'pending', 'failed null'],
    ['452', 'pending', 'failed null'],
    ['453', 'pending', 'pending'],
    ['454', 'pending', 'succeeded'],
    ['455', 'pending', 'unfunded'],
    ['456', 'pending', 'failed null'],
    ['457', 'pending', 'failed recipient_unregistered'],
    ['458', 'unavailable', 'not_found'],
    ['459', 'unavailable', 'not_found'],
    ['460', 'unavailable', 'not_found'],
    ['461', 'unavailable', 'not_found'],
    ['462', 'unknown', 'not_found'],
    ['463', 'unknown', 'not_found'],
    ['464', 'unknown', 'not_found'],
  ],
  refund: [
    ['1', 'failed', 'not_found'],
    ['2', 'pending', 'failed operator_declined'],
    ['3', 'pending', 'failed operator_declined'],
    ['4', 'pending', 'failed authorization_timeout'],
    ['5', 'pending', 'pending'],
    ['6', 'pending', 'succeeded'],
    ['7', 'unavailable', 'not_found'],
    ['8', 'unavailable', 'not_found'],
    ['9', 'unavailable', 'not_found'],
    ['10', 'unavailable', 'not_found'],
    ['11', 'unknown', 'not_found'],
    ['12', 'unknown', 'not_found'],
    ['13', 'pending', 'failed authorization_timeout'],
  ],
} as const;

const told = (said: { kind: string; reason?: unknown }) => ('reason' in said ? `${said.kind} ${said.reason}` : said.kind);

suite('the test numbers of MTN’s sandbox in the simulator', () => {
  let simulator: Simulator;
  let provider: Provider;

  before(async () => {
    simulator = await startSimulator(mtnMomoSimulator, { delay_ms: 10 });
    const credentials = { ...simulator.credentials, target_environment: 'sandbox' };
    provider = mtnMomo.connect({ id: 'pa_test', environment: 'live', credentials }, tools);
  });
  after(() => simulator.stop());

  test('the number decides the outcome of a request to pay as MTN documents', async () => {
    const rows = NUMBERS.collect.map(async ([suffix]) => {
      const key = provider.keyOf(`collect ${suffix}`);
      const one = collection(provider, { provider_key: key, payer: `+46733123${suffix}`, currency: 'EUR' });
      const submitted = await provider.submit(one);
      return [suffix, submitted.kind, told(await settled(() => provider.read(one), suffix === '453'))];
    });
    assert.deepEqual(await Promise.all(rows), NUMBERS.collect);
  });

  test('the number decides the outcome of a transfer as MTN documents', async () => {
    const { payouts } = provider;
    assert.ok(payouts);
    const rows = NUMBERS.payout.map(async ([suffix]) => {
      const recipient = { name: 'Awa N.', phone: `+46733123${suffix}`, account_number: null, bank_code: null };
      const one = payoutFor(provider, { provider_key: provider.keyOf(`payout ${suffix}`), currency: 'EUR', recipient });
      const submitted = await payouts.submit(one);
      return [suffix, submitted.kind, told(await settled(() => payouts.read(one), suffix === '453'))];
    });
    assert.deepEqual(await Promise.all(rows), NUMBERS.payout);
  });

  test('the reference decides the outcome of a refund as MTN documents', async () => {
    const { refunds } = provider;
    assert.ok(refunds);
    const rows = NUMBERS.refund.map(async ([reference]) => {
      const given = { ...collection(provider), provider_key: reference };
      const one = refundFor(provider, {
        provider_key: provider.keyOf(`refund ${reference}`),
        currency: 'EUR',
        collection: given,
      });
      const submitted = await refunds.submit(one);
      return [reference, submitted.kind, told(await settled(() => refunds.read(one), reference === '5'))];
    });
    assert.deepEqual(await Promise.all(rows), NUMBERS.refund);
  });

  for (const [suffix, kind] of [
    ['449', 'found'],
    ['450', 'not_found'],
    ['451', 'not_found'],
    ['452', 'unreadable'],
    ['453', 'unreadable'],
    ['454', 'unreadable'],
    ['455', 'unreadable'],
  ]) {
    test(`the account holder of the number …${suffix} is: ${kind}`, async () => {
      assert.equal((await provider.lookup?.('cm.mtn', `+46733123${suffix}`))?.kind, kind);
    });
  }

  test('a reason as an object, as in the published schema, has the same meaning', async () => {
    simulator.settings.set('reason_as', 'object');
    const one = collection(provider, { provider_key: provider.keyOf('object'), payer: '+46733123451', currency: 'EUR' });
    await provider.submit(one);
    assert.equal(told(await settled(() => provider.read(one), false)), 'cancelled payer_declined');
  });

  test('a currency other than EUR creates nothing', async () => {
    const one = collection(provider, { provider_key: provider.keyOf('francs') });
    assert.deepEqual(told(await provider.submit(one)), 'unavailable');
    assert.deepEqual(simulator.book.created(one.provider_key), []);
  });

  test('an API user is created in three steps, and callbacks are sent to its host only', async () => {
    const headers = { 'ocp-apim-subscription-key': simulator.credentials.collection_subscription_key as string };
    const post = (path: string, body?: object) =>
      fetch(`${simulator.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'x-reference-id': USER, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const host = { providerCallbackHost: 'pay.example' };
    assert.equal((await fetch(`${simulator.url}/v1_0/apiuser/${USER}`)).status, 401);
    assert.equal((await post('/v1_0/apiuser', host)).status, 201);
    assert.equal((await post('/v1_0/apiuser', host)).status, 409);
    const { apiKey } = (await (await post(`/v1_0/apiuser/${USER}/apikey`)).json()) as { apiKey: string };
    const shown = await (await fetch(`${simulator.url}/v1_0/apiuser/${USER}`, { headers })).json();
    assert.deepEqual(shown, { ...host, targetEnvironment: 'sandbox' });

    const credentials = { ...simulator.credentials, target_environment: 'sandbox', api_user: USER, api_key: apiKey };
    const made = mtnMomo.connect({ id: 'pa_test', environment: 'live', credentials }, tools);
    const submit = (name: string, changes: object = {}) =>
      made.submit(collection(made, { provider_key: made.keyOf(name), currency: 'EUR', ...changes }));
    const addressOf = (name: string) => simulator.book.find(made.keyOf(name))?.callback_url;
    assert.equal((await submit('at home')).kind, 'accepted');
    assert.equal(addressOf('at home'), collection(made).callback_url);
    assert.equal((await submit('elsewhere', { callback_url: 'https://other.example/x' })).kind, 'accepted');
    assert.equal(addressOf('elsewhere'), null);
  });
});

/** Reads until it is final; a pending one that is to stay so is read once. */
async function settled<T extends { kind: string }>(read: () => Promise<T>, stays: boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const said = await read();
    if (said.kind !== 'pending' || stays) return said;
    assert.ok(tries < 200, 'still pending');
    await sleep(20);
  }
}
