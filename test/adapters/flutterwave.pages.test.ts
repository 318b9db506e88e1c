import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Collection, Provider } from '../../src/providers/adapters/contract.ts';
import { flutterwave } from '../../src/providers/adapters/flutterwave/index.ts';
import { flutterwaveSimulator } from '../../simulators/flutterwave/index.ts';
import { payOn } from '../../simulators/kit/pages.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { tools } from './fixture.ts';
import { collectionFor, short } from './wire-stub.ts';

let simulator: Simulator;
let provider: Provider;
let now = Date.now();
const clock = { now: () => now };
let serial = 0;

before(async () => {
  simulator = await startSimulator(flutterwaveSimulator, { delay_ms: 10, now: clock.now });
  const account = { id: 'pa_test', environment: 'live', credentials: simulator.credentials } as const;
  provider = flutterwave.connect(account, { ...tools, clock });
});
after(() => simulator.stop());

const DECLINED = '+2250503000002';
const GOOD = '+2250503111111';

/** A card page that was opened, and where the payer is sent. */
async function opened(window_ms = 86_400_000): Promise<{ collection: Collection; url: string }> {
  const collection = collectionFor(provider, {
    ...{ channel: { id: 'ci.card', kind: 'card', country: 'CI' }, currency: 'XOF', payer: null },
    ...{ provider_key: provider.keyOf(`page-${serial++}`), submitted_at: now, expires_at: now + window_ms },
  });
  const prepared = await provider.prepare?.(collection);
  assert.ok(prepared?.kind === 'ready');
  const taken = { ...collection, handle: prepared.handle };
  const said = await provider.submit(taken);
  assert.ok(said.kind === 'accepted' && said.next.kind === 'redirect');
  return { collection: taken, url: said.next.url };
}

for (const page_options of ['listed', 'configurations']) {
  test(`a declined card leaves the attempt open while its page is open (options: ${page_options}): the payer pays once`, async () => {
    simulator.settings.set('page_options', page_options);
    const { collection, url } = await opened();
    await payOn(url, DECLINED);
    await simulator.idle();
    assert.equal(short(await provider.read(collection)), 'pending');
    await payOn(url, GOOD);
    await simulator.idle();
    assert.equal(short(await provider.read(collection)), 'succeeded');
    assert.equal(simulator.book.created(collection.provider_key).filter(({ moved }) => moved).length, 1);
  });

  test(`a declined card fails the attempt when its page is closed (options: ${page_options}), with no later payment`, async () => {
    simulator.settings.set('page_options', page_options);
    const { collection, url } = await opened();
    await payOn(url, DECLINED);
    await simulator.idle();
    now += 61 * 60_000;
    assert.equal(short(await provider.read(collection)), 'pending', 'the last try may still be under way');
    now += 10 * 60_000;
    assert.equal(short(await provider.read(collection)), 'failed(card_declined)');
    await payOn(url, GOOD);
    await simulator.idle();
    assert.ok(simulator.book.created(collection.provider_key).every(({ moved }) => !moved));
  });
}

test('an unpaid page ends with its session, long before the end of a long payment window', async () => {
  const { collection } = await opened();
  now += 69 * 60_000;
  assert.equal(short(await provider.read(collection)), 'pending');
  now += 2 * 60_000;
  assert.equal(short(await provider.read(collection)), 'expired');
});

test('a page created before expiry times were stored is open as long as the payment', async () => {
  const { collection } = await opened();
  const handle = JSON.stringify({ kind: 'redirect', url: 'https://x.example/' });
  now += 120 * 60_000;
  assert.equal(short(await provider.read({ ...collection, handle })), 'pending');
});
