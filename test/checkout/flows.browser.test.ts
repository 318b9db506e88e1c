import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type Language, textsIn } from '../../src/edge/pages/language.ts';
import type { CheckoutTexts } from '../../src/edge/pages/texts/checkout.ts';
import { systemClock } from '../../src/kit/clock.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import { Registry } from '../setup/providers.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { newPayment } from './payer.ts';
import { type Api, startApi } from '../setup/api.ts';
import { DESKTOP, evaluate, type Found, newVisitor, openBrowser, PHONE, type Visitor } from '../setup/browser.ts';

/** Every flow with and without JavaScript, on the smallest phone and a desktop, in both languages. */
const VARIANTS = [
  { name: 'with JavaScript, 320 px, English', javaScriptEnabled: true, viewport: PHONE, language: 'en' },
  { name: 'without JavaScript, 320 px, French', javaScriptEnabled: false, viewport: PHONE, language: 'fr' },
  { name: 'with JavaScript, desktop, French', javaScriptEnabled: true, viewport: DESKTOP, language: 'fr' },
  { name: 'without JavaScript, desktop, English', javaScriptEnabled: false, viewport: DESKTOP, language: 'en' },
] as const;

interface Walk {
  page: Page;
  texts: CheckoutTexts;
  language: Language;
  scripted: boolean;
  /** The payer has acted on the phone or at the bank. */
  release(): void;
  returned(): Promise<URLSearchParams>;
}

const released = new Set<string>();
const sandbox = sandboxProvider({ clock: systemClock, delay_ms: 0 });

/**
 * The sandbox, but what waits for the payer waits until the test has seen the page; numbers that end in 5 need a one-time
 * code, and Wave is paid on a page of its own.
 */
const patient: Provider = {
  ...sandbox,
  submit: async (collection) => {
    const next = { provider_ref: null, poll_after_ms: 300 };
    if (collection.channel.id.endsWith('.wave')) {
      const url = `${shopUrl()}/wave?${new URLSearchParams({ back: collection.return_url })}`;
      return { kind: 'accepted', ...next, next: { kind: 'redirect', url } };
    }
    if (collection.payer?.endsWith('5')) return { kind: 'accepted', ...next, next: { kind: 'otp' } };
    return sandbox.submit(collection);
  },
  read: async (collection) => {
    const ready = [...released].some((url) => collection.return_url.startsWith(url));
    return ready ? sandbox.read(collection) : { kind: 'pending', poll_after_ms: 300 };
  },
};

const found: Found = await openBrowser();
let api: Api;
/** What payers brought back to the merchant, by payment. */
const returns = new Map<string, URL>();

/**
 * The merchant's site that payers come back to, and the page of an operator that leads back to ours. The merchant answers
 * "no content", which leaves the result page on the screen: it leaves by itself after some seconds, and a busy test looks later.
 */
const shop = http.createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://shop');
  const [back, id] = [url.searchParams.get('back'), url.searchParams.get('id')];
  if (back) return response.setHeader('content-type', 'text/html').end(`<title>Wave</title><a href="${back}">Done</a>`);
  if (id) returns.set(id, url);
  return response.writeHead(204).end();
});
const shopUrl = () => `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;

before(async () => {
  api = await startApi({ providers: new Registry({ sandbox: [patient], live: [] }) });
  await new Promise<void>((resolve) => {
    shop.listen(0, '127.0.0.1', resolve);
  });
});
after(async () => {
  await found.browser?.close();
  shop.close();
  await api.stop();
});

const pay = (page: Page) => page.locator('details[open] form button').click();
const title = (page: Page, text: string) => page.getByRole('heading', { name: text }).waitFor();

async function typeCard({ page, texts }: Walk, number: string): Promise<void> {
  await page.locator('summary', { hasText: texts.means.card }).click();
  await page.getByLabel(texts.cardNumber).fill(number);
  await page.getByLabel(texts.expiry).fill('12/30');
  await page.getByLabel(texts.cvc).fill('123');
  await pay(page);
}

/** What is paid, where the flow needs another payment than the usual. */
const PAYMENTS: Record<string, object> = {
  'a redirect rail leads to the operator and back': { currency: 'XOF', phone: '+221770000000' },
};

const FLOWS: Record<string, (walk: Walk) => Promise<void>> = {
  'mobile money succeeds and the payer comes back to the merchant by itself': async ({
    page,
    texts,
    scripted,
    release,
    returned,
  }) => {
    await pay(page);
    await title(page, texts.confirmTitle);
    release();
    await title(page, texts.succeededTitle);
    // The script, which shows it, runs after the title has come.
    if (scripted) await page.locator('[data-stay]').waitFor();
    else assert.equal(await page.locator('[data-stay]').isVisible(), false, 'a button that does nothing is not shown');
    assert.equal((await returned()).get('status'), 'succeeded');
  },
  'mobile money is declined: the page says why and leads back': async ({ page, texts, language, returned }) => {
    await page.getByLabel(texts.phone).fill('650 000 001');
    await pay(page);
    await title(page, texts.failedTitle);
    await page
      .getByText(language === 'fr' ? 'Le solde du compte est insuffisant.' : 'There is not enough money on the account.')
      .waitFor();
    await page.getByRole('link', { name: texts.returnTo('Chez Awa') }).click();
    assert.equal((await returned()).get('status'), 'failed');
  },
  'the payer cancels on the phone': async ({ page, texts, release, returned }) => {
    await page.getByLabel(texts.phone).fill('+237 650 000 004');
    await pay(page);
    await title(page, texts.confirmTitle);
    release();
    await title(page, texts.cancelledTitle);
    await page.getByRole('link', { name: texts.returnTo('Chez Awa') }).click();
    assert.equal((await returned()).get('status'), 'cancelled');
  },
  'a wrong number is told beside the field, and the next try goes through': async ({ page, texts }) => {
    await page.getByLabel(texts.phone).fill('12');
    await pay(page);
    await page.locator('#phone-error').waitFor();
    // The browser moves the focus with the next picture, which a busy machine draws late.
    await page.locator('#phone:focus').waitFor();
    await page.getByLabel(texts.phone).fill('650000000');
    await pay(page);
    await title(page, texts.confirmTitle);
  },
  'the operator is recognised from the number and charged': async ({ page, texts, scripted }) => {
    await page.getByLabel(texts.phone).fill('690 000 000');
    const channel = await page
      .locator('.ops input:checked')
      .evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute('value')));
    assert.deepEqual(channel, scripted ? ['cm.orange'] : [], 'shown as the payer types, or left to the server');
    await pay(page);
    await title(page, texts.confirmTitle);
    await page.getByText(texts.dial('#150*50#')).waitFor();
  },
  'a number of another operator can be charged there, when the payer says so': async ({ page, texts }) => {
    await page.getByRole('radio', { name: 'MTN Mobile Money' }).click();
    await page.getByLabel(texts.phone).fill('690000000');
    assert.equal(await page.locator('.ops input:checked').getAttribute('value'), 'cm.mtn');
    await pay(page);
    await page.getByText(texts.dial('*126#')).waitFor();
  },
  'a one-time code is asked for, and the payment goes on': async ({ page, texts, release }) => {
    await page.getByLabel(texts.phone).fill('650000005');
    await pay(page);
    await title(page, texts.otpTitle);
    await page.getByLabel(texts.otp).fill('1');
    await page.getByRole('button', { name: texts.confirm, exact: true }).click();
    await page.locator('#otp-error').waitFor();
    await page.getByLabel(texts.otp).fill('123456');
    await page.getByRole('button', { name: texts.confirm, exact: true }).click();
    await title(page, texts.confirmTitle);
    release();
    await title(page, texts.succeededTitle);
  },
  'a redirect rail leads to the operator and back': async ({ page, texts, release }) => {
    await page.locator('[value="sn.wave"]').check();
    await pay(page);
    await page.waitForURL(`${shopUrl()}/wave?**`);
    release();
    await page.getByRole('link', { name: 'Done' }).click();
    await title(page, texts.succeededTitle);
  },
  'a card pays': async (walk) => {
    await typeCard(walk, '4242 4242 4242 4242');
    await title(walk.page, walk.texts.succeededTitle);
  },
  'another card than a test card is refused beside its field': async (walk) => {
    await typeCard(walk, '4111 1111 1111 1111');
    await walk.page.getByText(walk.texts.errors.card).waitFor();
    assert.equal(await walk.page.getByLabel(walk.texts.cardNumber).inputValue(), '');
  },
  'a card with 3-D Secure is approved': async (walk) => {
    await typeCard(walk, '4000 0025 0000 3155');
    await title(walk.page, walk.texts.verifyTitle);
    await walk.page.getByRole('button', { name: walk.texts.approve }).click();
    await title(walk.page, walk.texts.succeededTitle);
  },
  'a card with 3-D Secure is refused': async (walk) => {
    await typeCard(walk, '4000 0025 0000 3155');
    await title(walk.page, walk.texts.verifyTitle);
    await walk.page.getByRole('button', { name: walk.texts.refuse }).click();
    await title(walk.page, walk.texts.failedTitle);
  },
  'a bank transfer shows where to pay and follows to the end': async ({ page, texts, release }) => {
    await page.locator('summary', { hasText: texts.means.bank }).click();
    await page.getByLabel(texts.account, { exact: true }).fill('10002000000000');
    await pay(page);
    await title(page, texts.transferTitle);
    await page.getByText('Sandbox Bank').waitFor();
    release();
    await title(page, texts.succeededTitle);
  },
};

describe('the hosted page in a browser', { skip: found.missing ?? false, concurrency: 3 }, () => {
  for (const variant of VARIANTS) {
    describe(variant.name, { concurrency: 6 }, () => {
      for (const name of Object.keys(FLOWS)) test(name, () => walkThrough(variant, name));
    });
  }

  test('going back shows the status of the payment instead of the form', async () => {
    const { url, id } = await newPayment(api);
    const { page, context } = await newVisitor(found.browser as NonNullable<Found['browser']>);
    await page.goto(url);
    await pay(page);
    await title(page, 'Confirm on your phone');
    await page.goBack();
    await page.waitForURL(url);
    await title(page, 'Confirm on your phone');
    released.add(url);
    await title(page, 'Payment successful');
    assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.attempts.length, 1);
    await context.close();
  });

  test('after a wrong code the page still follows the payment when the right code is sent by API', async () => {
    const { url, id } = await newPayment(api);
    const { page, context } = await newVisitor(found.browser as NonNullable<Found['browser']>);
    await page.goto(url);
    await page.getByLabel('Phone number').fill('650000005');
    await pay(page);
    await page.getByLabel('One-time code').fill('1');
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.locator('#otp-error').waitFor();
    const body = { channel: 'cm.mtn', data: { phone: '650000005', otp: '123456' } };
    assert.equal((await api.call('POST', `/payments/${id}`, { body })).status, 202);
    await title(page, 'Confirm on your phone');
    assert.equal(page.url(), url);
    await page.goto(`${url}/otp`);
    assert.equal(page.url(), url, 'the address of the answer to a wrong code');
    await context.close();
  });

  test('a payer can stay on the result page', async () => {
    const { url, id } = await newPayment(api, { callback: `${shopUrl()}/` });
    const { page, context } = await newVisitor(found.browser as NonNullable<Found['browser']>);
    await page.goto(url);
    await typeCard({ page, texts: textsIn('en').checkout } as Walk, '5555555555554444');
    await title(page, 'Payment successful');
    await page.clock.install();
    // Time stands still from here, however long the test takes between two steps.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.reload();
    await page.getByRole('button', { name: 'Stay on this page' }).click();
    returns.delete(id);
    await page.clock.runFor(60_000);
    await sleep(1_000);
    assert.equal(returns.has(id), false);
    await page.reload();
    await page.getByRole('button', { name: 'Stay on this page' }).waitFor();
    returns.delete(id);
    await page.clock.runFor(10_000);
    await returnOf(id);
    await context.close();
  });
});

async function walkThrough(variant: (typeof VARIANTS)[number], name: string): Promise<void> {
  const { language, javaScriptEnabled, viewport } = variant;
  const callback = `${shopUrl()}/back?cart=7`;
  const { url, id } = await newPayment(api, { callback, reference: 'ORDER-1', bearer: 'customer', ...PAYMENTS[name] });
  const locale = language === 'fr' ? 'fr-CM' : 'en-GB';
  const visitor = await newVisitor(found.browser as NonNullable<Found['browser']>, { javaScriptEnabled, viewport, locale });
  const { page } = visitor;
  await page.goto(url, { waitUntil: 'networkidle' });
  await assertLight(visitor);
  const returned = async () => {
    const { pathname, searchParams: query } = await returnOf(id);
    assert.equal(pathname, '/back');
    assert.deepEqual([query.get('cart'), query.get('id'), query.get('reference'), query.get('trxref')], ['7', id, 'ORDER-1', id]);
    return query;
  };
  await FLOWS[name]?.({
    page,
    texts: textsIn(language).checkout,
    language,
    scripted: javaScriptEnabled,
    release: () => released.add(url),
    returned,
  });
  assert.equal(
    await evaluate(page, 'document.documentElement.scrollWidth <= innerWidth'),
    true,
    'nothing is cut off at the side',
  );
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
}

/** Waits until the payer of a payment has come back to the merchant. */
async function returnOf(id: string): Promise<URL> {
  for (;;) {
    const url = returns.get(id);
    if (url) return url;
    await sleep(20);
  }
}

/** All of the page: at most three requests and 15 kB, headers included. */
async function assertLight({ traffic }: Visitor): Promise<void> {
  const bytes = (await Promise.all(traffic)).reduce((sum, size) => sum + size, 0);
  assert.ok(traffic.length >= 1 && traffic.length <= 3, `${traffic.length} requests`);
  assert.ok(bytes > 1_000 && bytes < 15_000, `${bytes} bytes`);
}
