import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import { flutterwave } from '../../src/providers/adapters/flutterwave/index.ts';
import { flutterwaveSimulator } from '../../simulators/flutterwave/index.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { tools } from '../adapters/fixture.ts';
import { collectionFor, payoutFor, short } from '../adapters/wire-stub.ts';

let simulator: Simulator;
let provider: Provider;

before(async () => {
  simulator = await startSimulator(flutterwaveSimulator, { delay_ms: 10 });
  provider = flutterwave.connect({ id: 'pa_test', environment: 'live', credentials: simulator.credentials }, tools);
});
after(() => simulator.stop());

for (const [suffix, end] of [
  ['_PMCK', 'succeeded'],
  ['_PMCK_ST_F', 'failed(null)'],
  ['_PMCKDU_1', 'succeeded'],
  ['_PMCK_ST_FDU_1', 'failed(null)'],
] as const) {
  test(`a transfer whose reference ends in ${suffix} is ${end}, as in Flutterwave's test mode`, async () => {
    const payout = payoutFor(provider, { provider_key: `order-7${suffix}` });
    assert.equal((await provider.payouts?.submit(payout))?.kind, 'pending');
    await simulator.idle();
    assert.equal(short(await provider.payouts?.read(payout)), end);
  });
}

test('a repeated tx_ref is charged again, so no submission is ever repeated', async () => {
  const collection = collectionFor(provider, { provider_key: provider.keyOf('twice') });
  await provider.submit(collection);
  await provider.submit(collection);
  assert.equal(simulator.book.created(collection.provider_key).length, 2);
  assert.equal(provider.capabilities.idempotency, 'none');
});

test('a failed prompt sends no callback: it is found by polling', async () => {
  simulator.settings.set('callback_url', 'http://127.0.0.1:9/callbacks');
  const collection = collectionFor(provider, { provider_key: provider.keyOf('failing'), payer: '+237653000001' });
  await provider.submit(collection);
  await simulator.idle();
  await sleep(20);
  assert.ok(!simulator.callbacks.sent.some(({ key }) => key === collection.provider_key));
  assert.equal(short(await provider.read(collection)), 'failed(insufficient_funds)');
});
