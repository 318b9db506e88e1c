import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { newPayment } from './payer.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { type Found, newVisitor, openBrowser } from '../setup/browser.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { type LogoHost, mark, startLogoHost } from '../pages/logo.ts';

/** Slow 3G as payers know it; also what the page is promised to be usable on. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const MAX_BYTES = 15_000;
const MAX_REQUESTS = 3;

const released = new Set<string>();
const provider: TestProvider = {
  name: 'patient',
  collects: () => true,
  submit: async ({ channel }) => {
    const instructions = { bank: 'Afriland First Bank', account_number: '10005 00001 02345678901 28', reference: 'PRG-7K2M9' };
    const next = channel.kind === 'bank' ? ({ kind: 'transfer', instructions } as const) : ({ kind: 'confirm' } as const);
    return { kind: 'accepted', provider_ref: 'p', next, poll_after_ms: 200 };
  },
  read: async ({ return_url, amount_minor, currency }) =>
    [...released].some((url) => return_url.startsWith(url))
      ? { kind: 'succeeded', provider_ref: 'p', amount_minor, currency }
      : { kind: 'pending', poll_after_ms: 200 },
};

const found: Found = await openBrowser();
const browser = found.browser as Browser;
let api: Api;
let logos: LogoHost;
before(async () => {
  const picture = mark(132, [180, 83, 9]);
  logos = await startLogoHost({
    // As heavy as a logo may be.
    '/logo.png': Buffer.concat([picture, Buffer.alloc(6 * 1024 - picture.length)]),
  });
  api = await startApi({ providers: new Registry({ sandbox: [provider], live: [] }) });
});
after(async () => {
  await found.browser?.close();
  logos.close();
  await api.stop();
});

const pay = (page: Page) => page.locator('details[open] form button').click();
const title = (page: Page, text: string) => page.getByRole('heading', { name: text }).waitFor();

/** What went over the wire, as the browser's own protocol counts it: compressed, with headers. */
async function metered(page: Page) {
  const session = await page.context().newCDPSession(page);
  const meter = { requests: [] as string[], bytes: 0, session };
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', ({ request }) => {
    if (!request.url.startsWith('data:')) meter.requests.push(new URL(request.url).pathname.replace(/^\/pay\/[^/]+/, ''));
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    meter.bytes += encodedDataLength;
  });
  return meter;
}

/** The heaviest page there is: every operator of XOF, the longest texts, a logo as heavy as it may be. */
const heavy = () => ({
  currency: 'XOF',
  phone: '+221770000000',
  bearer: 'customer',
  description: 'Deux paniers de mangues, livraison comprise. '.repeat(11).slice(0, 500),
  items: Array.from({ length: 500 }, (_, i) => ({ name: `Panier ${i} ${'de mangues '.repeat(20)}`.slice(0, 255), quantity: 2 })),
  theming: {
    color: '#d97706',
    logo: `${logos.url}/logo.png`,
    title: 'Le marché du samedi',
    button_text: 'Commander',
    locale: 'fr',
  },
});

describe('the hosted page on a weak network', { skip: found.missing ?? false, concurrency: 4 }, () => {
  test('each page weighs at most 15 kB in at most 3 requests, and a payment completes at 400 kbps with 400 ms of latency', async () => {
    const { url } = await newPayment(api, heavy());
    const { page, context, complaints } = await newVisitor(browser);
    const meter = await metered(page);
    await meter.session.send('Network.emulateNetworkConditions', SLOW);
    await page.goto(url);
    await page.locator('.mark img').evaluate((image: { decode(): Promise<void> }) => image.decode());
    assert.deepEqual(meter.requests, ['', '/logo']);
    assert.ok(meter.bytes > 6_000 && meter.bytes <= MAX_BYTES, `${meter.bytes} bytes`);
    await pay(page);
    await title(page, 'Confirmez sur votre téléphone');
    released.add(url);
    await title(page, 'Paiement réussi');
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test('waiting costs one request besides the page, however long it takes, and the page updates by itself', async () => {
    const { url } = await newPayment(api);
    const { page, context } = await newVisitor(browser);
    await page.clock.install();
    // The page asks for the status when no event has come for some seconds of its time, which passes only where the test says so.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.goto(url);
    const meter = await metered(page);
    const requested = new Promise((resolve) => {
      meter.session.once('Network.eventSourceMessageReceived', resolve);
    });
    await pay(page);
    await title(page, 'Confirm on your phone');
    await requested;
    await page.clock.runFor(30_000);
    assert.deepEqual(meter.requests, ['', '', '/events'], 'the submit, the page it leads to, and its events');
    assert.ok(meter.requests.length <= MAX_REQUESTS && meter.bytes <= MAX_BYTES);
    released.add(url);
    await title(page, 'Payment successful');
    assert.ok(!meter.requests.includes('/status'), 'told, without asking');
    await context.close();
  });

  test('the page polls where server-sent events do not arrive', async () => {
    const { url } = await newPayment(api);
    const { page, context } = await newVisitor(browser);
    await page.route('**/events', (route) => route.fulfill({ status: 503 }));
    await page.goto(url);
    const meter = await metered(page);
    await pay(page);
    await title(page, 'Confirm on your phone');
    released.add(url);
    await title(page, 'Payment successful');
    assert.ok(meter.requests.includes('/status'));
    await context.close();
  });

  test('the page also polls where a proxy buffers the events', async () => {
    const { url } = await newPayment(api);
    const { page, context } = await newVisitor(browser);
    await page.route('**/events', () => undefined);
    await page.goto(url);
    await pay(page);
    await title(page, 'Confirm on your phone');
    released.add(url);
    await title(page, 'Payment successful');
    await context.close();
  });

  test('no update is lost when the signal drops and returns', async () => {
    const { url, id } = await newPayment(api);
    const { page, context } = await newVisitor(browser);
    await page.goto(url);
    await pay(page);
    await title(page, 'Confirm on your phone');
    await context.setOffline(true);
    released.add(url);
    await until(
      () => api.call('GET', `/payments/${id}`),
      ({ body }) => body.transaction.status === 'succeeded',
    );
    await title(page, 'Confirm on your phone');
    await context.setOffline(false);
    await title(page, 'Payment successful');
    await context.close();
  });

  test('a reopened browser shows the current payment; another browser sees no data of the payer', async () => {
    const { url } = await newPayment(api);
    const first = await newVisitor(browser);
    await first.page.goto(url);
    await pay(first.page);
    await title(first.page, 'Confirm on your phone');
    const storageState = await first.context.storageState();
    await first.context.close();
    const other = await newVisitor(browser);
    await other.page.goto(url);
    await title(other.page, 'Payment started in another browser');
    assert.doesNotMatch(await other.page.content(), /650000000/);
    const later = await newVisitor(browser, { storageState });
    await later.page.goto(url);
    await later.page.getByText('Enter your PIN on +237 6 50 00 00 00').waitFor();
    released.add(url);
    await title(later.page, 'Payment successful');
    await title(other.page, 'Payment successful');
    await later.context.close();
    await other.context.close();
  });
});
