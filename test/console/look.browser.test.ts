import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openDispute } from '../../src/core/disputes/service.ts';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';
import { type Api, startApi } from '../setup/api.ts';
import { type Found, openBrowser } from '../setup/browser.ts';
import { paid, startPayment } from '../setup/pay.ts';
import { browsingAs } from './browsing.ts';
import { type Person, signedIn } from './people.ts';

const WIDE = { width: 1280, height: 900 };
const HANDSET = { width: 390, height: 800 };
/** Maximum size of a page over the wire, in bytes; style and script are kept by the browser. */
const MAX_PAGE_BYTES = 40_000;

const found: Found = await openBrowser();
const skip = found.missing ?? false;
let api: Api;
let owner: Person;
let base: string;
/** A payment that was refunded in part and disputed. */
let eventful: string;

before(async () => {
  api = await startApi();
  owner = await signedIn(api, 'owner');
  base = `/console/${api.team.id}/sandbox`;
  await api.call('POST', '/webhooks', { body: { url: 'https://127.0.0.1:9/hooks' } });
  const fields = {
    ...{ reference: 'CMD-2026-0117', description: 'Deux paniers de mangues', name: 'Ama Ngono', email: 'ama@shop.example' },
    ...{ metadata: { table: 4, vendeur: 'Bonanjo' }, items: [{ name: 'Panier de mangues', quantity: 2 }, { name: 'Livraison' }] },
  };
  for (let i = 0; i < 9; i++) {
    const kinds = { 3: '650000001', 5: '650000002' } as Record<number, string>;
    await startPayment(api, {
      amount: 1500 * (i + 1),
      phone: kinds[i] ?? '650000000',
      fields: { reference: `CMD-2026-01${10 + i}` },
    });
  }
  eventful = await paid(api, { fields });
  await api.call('POST', '/refunds', { body: { payment: eventful, amount: 5_000, reason: 'requested_by_customer' } });
  const store = api.deps.stores.sandbox.of(api.team.id);
  await openDispute(api.deps, store, { team_id: api.team.id, payment_id: eventful, reason: 'fraudulent' });
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

const customerOf = async (id: string) => (await api.call('GET', `/payments/${id}`)).body.transaction.customer as string;

/** Pages with the name of the picture that is kept of them. */
const PAGES: Record<string, () => string | Promise<string>> = {
  'console-payments': () => '/payments',
  'console-payment': () => `/payments/${eventful}`,
  'console-refund': () => `/payments/${eventful}/refund`,
  'console-customers': () => '/customers',
  'console-customer': async () => `/customers/${await customerOf(eventful)}`,
  'console-erase': async () => `/customers/${await customerOf(eventful)}/erase`,
};
/** The others are looked at, and not kept. */
const KEPT = ['console-payments', 'console-payment'];

for (const [name, path] of Object.entries(PAGES)) {
  test(`${name}: legible, accessible and small, on a desktop and a telephone, light and dark, in both languages`, {
    skip,
  }, async () => {
    for (const viewport of [WIDE, HANDSET]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { context, page, complaints } = await browsingAs(owner, found, {
          viewport,
          colorScheme,
          locale: colorScheme === 'dark' ? 'fr-CM' : 'en-GB',
        });
        const answer = await page.goto(api.url + base + (await path()));
        assert.equal(answer?.status(), 200);
        const { responseBodySize } = (await answer?.request().sizes()) ?? { responseBodySize: 0 };
        assert.ok(responseBodySize > 0 && responseBodySize <= MAX_PAGE_BYTES, `${responseBodySize} bytes`);
        assert.deepEqual(await axeFaults(page), []);
        assert.ok(await fits(page), 'nothing sticks out of the page');
        const isDark = colorScheme === 'dark';
        const kept = isDark ? name === 'console-payments' && viewport === WIDE : KEPT.includes(name);
        const file = `${name}${isDark ? '-dark' : viewport === HANDSET ? '-390' : ''}`;
        assert.deepEqual(complaints, []);
        if (kept) await keepPicture(page, file);
        await context.close();
      }
    }
  });
}

test('a refund by keyboard: "/" searches, the payment opens, the form is sent', { skip }, async () => {
  const id = await paid(api);
  const { context, page, complaints } = await browsingAs(owner, found, { viewport: WIDE });
  await page.goto(`${api.url}${base}/payments`);
  await page.keyboard.press('/');
  await page.keyboard.type(id);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/payments/${id}`);
  await page.getByRole('link', { name: 'Refund', exact: true }).click();
  await page.getByLabel(/^Amount/).fill('1 250');
  await page.getByRole('button', { name: 'Refund' }).click();
  await page.waitForURL(/done=refund/);
  assert.match((await page.getByRole('status').first().textContent()) ?? '', /The refund was created/);
  const { items } = (await api.call('GET', `/payments/${id}/refunds`)).body;
  assert.deepEqual(
    items.map(({ amount }: { amount: number }) => amount),
    [1250],
  );
  assert.deepEqual(complaints, []);
  await context.close();
});

function fits(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth') as Promise<boolean>;
}
