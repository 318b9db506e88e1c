import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openDispute } from '../../src/core/disputes/service.ts';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { type Found, openBrowser } from '../setup/browser.ts';
import { paid } from '../setup/pay.ts';
import { browsingAs } from './browsing.ts';
import { type Person, signedIn } from './people.ts';

const WIDE = { width: 1280, height: 900 };
const HANDSET = { width: 360, height: 780 };
/** Maximum size of a page over the wire, in bytes; style and script are kept by the browser. */
const MAX_PAGE_BYTES = 40_000;
/** Languages and colours in which the pages are opened. */
const LOOKS = [
  { viewport: WIDE, colorScheme: 'light', locale: 'en-GB' },
  { viewport: WIDE, colorScheme: 'dark', locale: 'fr-CM' },
  { viewport: HANDSET, colorScheme: 'light', locale: 'fr-CM' },
  { viewport: HANDSET, colorScheme: 'dark', locale: 'en-GB' },
] as const;

const found: Found = await openBrowser();
const skip = found.missing ?? false;
let api: Api;
let owner: Person;
/** Paths of one of each kind, below the team. */
const made: Record<'invoice' | 'draft' | 'link' | 'dispute' | 'account', string> = {
  ...{ invoice: '', draft: '', link: '', dispute: '', account: '' },
};

const ITEMS = [
  { name: 'Panier de mangues', description: 'Kent, 5 kg', quantity: 2.5, unit_price: 12_000 },
  { name: 'Jus de bissap', quantity: 24, unit_price: 650 },
  { name: 'Livraison à Bonanjo', unit_price: 2_500 },
];
const INVOICE = { currency: 'XAF', items: ITEMS, due_date: '2099-01-31', reference: 'CMD-2026-0117' };
const BUYER = { name: 'Ama Ngono', email: 'ama@buyers.example', phone: '+237650000117' };

before(async () => {
  api = await startApi();
  owner = await signedIn(api, 'owner');
  await api.control.run({ text: 'update teams set verification_level = 2 where id = $1', values: [api.team.id] });
  const live = async (path: string, body: object) => (await api.call('POST', path, { key: api.keys.live.secret, body })).body;
  const { invoice } = await live('/invoices', { ...INVOICE, customer: BUYER, notes: 'Merci de votre confiance.' });
  await live(`/invoices/${invoice.id}/send`, {});
  const { invoice: draft } = await live('/invoices', { ...INVOICE, customer: { phone: '+237650000118' } });
  const { link } = await live('/links', {
    title: 'Frais de scolarité 2026–2027',
    amount: 75_000,
    currency: 'XAF',
    max_uses: 200,
  });
  const seller = { name: 'Ateliers Mbarga', email: 'atelier@sellers.example', split: { type: 'percentage', value: 7.5 } };
  const settlement = { channel: 'cm.mtn', account_number: '+237650000009' };
  const { account } = (await api.call('POST', '/accounts', { body: { ...seller, settlement } })).body;
  for (const amount of [24_000, 7_500, 61_000]) await sold(account.id, amount);
  const payment = await paid(api, { fields: { reference: 'CMD-2026-0117' } });
  for (const [name, query] of [
    ['Échecs du mois', 'status=failed'],
    ['Au-dessus de 100 000', 'amount_min=100000'],
  ]) {
    await owner.submit(`/console/${api.team.id}/sandbox/payments`, `/console/${api.team.id}/sandbox/payments/views?${query}`, {
      name: name ?? '',
    });
  }
  const store = api.deps.stores.sandbox.of(api.team.id);
  const dispute = await openDispute(api.deps, store, { team_id: api.team.id, payment_id: payment, reason: 'fraudulent' });
  made.invoice = `live/invoices/${invoice.id}`;
  made.draft = `live/invoices/${draft.id}`;
  made.link = `live/links/${link.id}`;
  made.dispute = `sandbox/disputes/${dispute.id}`;
  made.account = `sandbox/subaccounts/${account.id}`;
});
/** Makes a payment that is shared with a subaccount. */
async function sold(account: string, amount: number): Promise<void> {
  const headers = { 'X-Sync': account };
  const body = { amount, currency: 'XAF', phone: '+237650000000' };
  const { id } = (await api.call('POST', '/payments', { body, headers })).body.transaction;
  await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone: '650000000' } } });
  await until(
    () => api.call('GET', `/payments/${id}`),
    (answer) => answer.body.transaction.status === 'succeeded',
  );
}

after(async () => {
  await found.browser?.close();
  await api.stop();
});

/** Pages with the name of the picture that is kept of them, and the status with which they answer. */
const PAGES: Record<string, () => string> = {
  'console-invoices': () => 'live/invoices',
  'console-invoice': () => made.invoice,
  'console-draft': () => made.draft,
  'console-invoice-form': () => `${made.draft}/edit`,
  'console-invoices-sandbox': () => 'sandbox/invoices',
  'console-views': () => 'sandbox/payments?status=succeeded',
  'console-links': () => 'live/links',
  'console-link': () => made.link,
  'console-link-form': () => `${made.link}/edit`,
  'console-disputes': () => 'sandbox/disputes',
  'console-dispute': () => made.dispute,
  'console-dispute-accept': () => `${made.dispute}/accept`,
  'console-subaccounts': () => 'sandbox/subaccounts',
  'console-subaccount': () => made.account,
  'console-subaccount-form': () => `${made.account}/edit`,
  'console-subaccount-balance': () => `${made.account}/balance`,
  'console-settings': () => 'live/settings',
  'console-languages': () => 'live/settings/languages',
  'console-branding': () => 'live/settings/branding',
};
/** The others are looked at, and not kept with the documentation. */
const KEPT = ['console-invoice', 'console-branding', 'console-languages', 'console-subaccount-balance'];

for (const [name, path] of Object.entries(PAGES)) {
  test(`${name}: legible, accessible and small, on a desktop and a telephone, light and dark, in both languages`, {
    skip,
  }, async () => {
    for (const look of LOOKS) {
      const { context, page, complaints } = await browsingAs(owner, found, look);
      const answer = await page.goto(`${api.url}/console/${api.team.id}/${path()}`);
      assert.equal(answer?.status(), name.endsWith('-sandbox') ? 403 : 200);
      const { responseBodySize } = (await answer?.request().sizes()) ?? { responseBodySize: 0 };
      assert.ok(responseBodySize > 0 && responseBodySize <= MAX_PAGE_BYTES, `${responseBodySize} bytes`);
      assert.deepEqual(await axeFaults(page), []);
      assert.ok(await fits(page), 'nothing sticks out of the page');
      const refusals = complaints.filter((line) => !line.includes('403'));
      assert.deepEqual(refusals, []);
      const isKept = KEPT.includes(name) && look.viewport === WIDE && look.colorScheme === 'light';
      if (isKept) await keepPicture(page, name);
      else if (process.env.PICTURES !== 'docs/pictures')
        await keepPicture(page, [name, look.viewport.width, look.colorScheme].join('-'));
      await context.close();
    }
  });
}

test('an invoice by keyboard, without script: a line is added, Enter saves, the mail is sent', { skip }, async () => {
  const { context, page, complaints } = await browsingAs(owner, found, { viewport: HANDSET, javaScriptEnabled: false });
  await page.goto(`${api.url}/console/${api.team.id}/live/invoices/new`);
  await page.getByLabel('E-mail address').fill('kofi@buyers.example');
  await page.getByLabel('Item', { exact: true }).fill('Seat');
  await page.getByLabel('Unit price', { exact: true }).fill('1 500');
  await page.getByRole('button', { name: 'Add a line' }).click();
  await page.getByLabel('Item, line 2').fill('Programme');
  await page.getByLabel('Unit price, line 2').fill('500');
  await page.getByLabel('Unit price, line 2').press('Enter');
  await page.waitForURL(/done=create/);
  await page.locator('summary', { hasText: 'Send' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.waitForURL(/done=send/);
  const { items } = (await api.call('GET', '/invoices', { key: api.keys.live.secret })).body;
  assert.deepEqual([items[0].status, items[0].amount, items[0].items.length], ['sent', 2_000, 2]);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a colour that is chosen is shown at once, in a page in which nothing can be pressed', { skip }, async () => {
  const { context, page, complaints } = await browsingAs(owner, found, { viewport: WIDE });
  await page.goto(`${api.url}/console/${api.team.id}/live/settings/branding`);
  const preview = page.frameLocator('.preview');
  const colour = () => page.frames()[1]?.evaluate(`getComputedStyle(document.querySelector('form button')).backgroundColor`);
  await preview.locator('form button').first().waitFor();
  assert.equal(await colour(), 'rgb(11, 74, 94)');
  await page.getByLabel('Colour').fill('#8a1c1c');
  await page.waitForURL('**/settings/branding');
  await preview.locator('meta[content="#8a1c1c"]').waitFor({ state: 'attached' });
  // The colour stands at the head of the page, which is there before its body.
  await preview.locator('form button').first().waitFor();
  assert.equal(await colour(), 'rgb(138, 28, 28)');
  assert.equal(await page.evaluate(`document.querySelector('.preview').matches('[inert][sandbox=""]')`), true);
  assert.deepEqual(complaints, []);
  await context.close();
});

function fits(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth') as Promise<boolean>;
}
