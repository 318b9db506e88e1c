import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Send } from '../../src/kit/fetch.ts';
import type { Collection, Provider } from '../../src/providers/adapters/contract.ts';
import { flutterwave } from '../../src/providers/adapters/flutterwave/index.ts';
import { flutterwaveSimulator } from '../../simulators/flutterwave/index.ts';
import { payOn } from '../../simulators/kit/pages.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { tools } from './fixture.ts';
import { answered, collectionFor, refundFor, short } from './wire-stub.ts';

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
const FAILED = { id: 1, status: 'failed', processor_response: 'declined' };
/** Responses to the list of the transactions of a page that leave open whether one was paid. */
const UNCLEAR = [
  { status: 'error', message: 'not allowed' },
  { status: 'success', data: [] },
  { status: 'success', data: [{ ...FAILED, tx_ref: 'another' }] },
  { status: 'success', data: 'none' },
];

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

for (const verified of ['paid', 'first']) {
  test(`a card that pays after a declined one on the same page is found, and refunded (a query returns the ${verified})`, async () => {
    simulator.settings.set('verified', verified);
    const { collection, url } = await opened();
    await payOn(url, DECLINED);
    await simulator.idle();
    assert.equal(short(await provider.read(collection)), 'pending');
    await payOn(url, GOOD);
    await simulator.idle();
    const [declined, paid] = simulator.book.created(collection.provider_key);
    assert.deepEqual([declined?.moved, paid?.moved], [false, true]);
    now += 80 * 60_000;
    const reading = await provider.read(collection);
    assert.deepEqual([short(reading), 'provider_ref' in reading && reading.provider_ref], ['succeeded', paid?.ref]);
    const refund = refundFor(provider, { collection, amount_minor: collection.amount_minor, currency: 'XOF' });
    await provider.refunds?.submit(refund);
    assert.equal(simulator.book.refunded(collection.provider_key), collection.amount_minor);
  });

  test(`declined cards fail the attempt when the page is closed (a query returns the ${verified})`, async () => {
    simulator.settings.set('verified', verified);
    const { collection, url } = await opened();
    await payOn(url, DECLINED);
    await simulator.idle();
    await payOn(url, DECLINED);
    await simulator.idle();
    now += 80 * 60_000;
    assert.equal(short(await provider.read(collection)), 'failed(card_declined)');
  });
}

test('a declined card fails nothing while the other transactions of its page cannot be listed', async () => {
  const { collection, url } = await opened();
  await payOn(url, DECLINED);
  await simulator.idle();
  now += 80 * 60_000;
  for (const list of UNCLEAR) {
    const send: Send = async (options) => (options.url.includes('/transactions?') ? answered(200, list) : tools.send(options));
    const account = { id: 'pa_test', environment: 'live', credentials: simulator.credentials } as const;
    const reading = await flutterwave.connect(account, { ...tools, clock, send }).read(collection);
    assert.equal(reading.kind, 'unreadable', JSON.stringify(list));
  }
});

const VERIFIED = '/transactions/verify_by_reference?';

/** Reads a page that was closed, with the first of these answers whose text the address contains. @returns also how many lists were read */
async function readWith(answers: readonly (readonly [where: string, body: (tx_ref: string) => object])[]) {
  const { collection } = await opened();
  now += 80 * 60_000;
  let lists = 0;
  const send: Send = async ({ url }) => {
    if (!url.includes(VERIFIED)) lists++;
    const body = answers.find(([where]) => url.includes(where))?.[1](collection.provider_key);
    return answered(200, body ?? { status: 'error', message: 'no such page' });
  };
  const account = { id: 'pa_test', environment: 'live', credentials: simulator.credentials } as const;
  const reading = await flutterwave.connect(account, { ...tools, clock, send }).read(collection);
  return [short(reading), lists];
}
const one = (fields: object) => (tx_ref: string) => ({ status: 'success', data: { ...fields, tx_ref } });
const listed =
  (total_pages: number, ...found: object[]) =>
  (tx_ref: string) => ({
    ...{ status: 'success', meta: { page_info: { total_pages } } },
    data: found.map((fields) => ({ ...fields, tx_ref })),
  });
const PAID = { id: 2, status: 'successful', amount: 5_000, currency: 'XOF' };

test('a list without the pending transaction that the query returned proves no failure', async () => {
  const pending = one({ id: 3, status: 'pending' });
  assert.deepEqual(
    await readWith([
      [VERIFIED, pending],
      ['/transactions?', listed(1, FAILED)],
    ]),
    ['pending', 1],
  );
  assert.deepEqual(
    await readWith([
      [VERIFIED, pending],
      ['/transactions?', listed(1, FAILED, PAID)],
    ]),
    ['succeeded', 1],
  );
});

test('all pages of the list are read, up to five: one that was paid is found, and a failure needs all of them', async () => {
  const last = (page: number, ...found: object[]) => [`&page=${page}`, listed(page, ...found)] as const;
  const pages = (total: number) => ['/transactions?', listed(total, FAILED)] as const;
  const failed = [VERIFIED, one(FAILED)] as const;
  const other = () => ({ status: 'success', data: [], meta: { page_info: { total_pages: 2, current_page: 1 } } });
  assert.deepEqual(await readWith([failed, last(2, FAILED), pages(2)]), ['failed(card_declined)', 2]);
  assert.deepEqual(await readWith([failed, last(2, PAID), pages(2)]), ['succeeded', 2]);
  assert.deepEqual(await readWith([failed, pages(5)]), ['failed(card_declined)', 5]);
  assert.deepEqual(await readWith([failed, pages(6)]), ['unreadable', 5]);
  assert.deepEqual(
    await readWith([failed, ['&page=2', other], pages(2)]),
    ['unreadable', 2],
    'the number of the page is ignored',
  );
  assert.deepEqual(await readWith([failed, ['&page=2', () => ({ status: 'error' })], pages(2)]), ['unreadable', 2]);
});

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
