import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { newPayment } from '../checkout/payer.ts';
import { InvoiceFixture } from '../invoices/fixture.ts';
import { newLink } from '../links/browser.ts';
import { readPdf } from './read-pdf.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { DESKTOP, type Found, newVisitor, openBrowser, PHONE } from '../setup/browser.ts';
import { hostedPageUrl } from '../../src/core/payments/token.ts';
import { paid } from '../setup/pay.ts';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';

/** Receipts, and the pages of invoices and links, as people see them: small, large, on paper, in the dark of no JavaScript. */
const found: Found = await openBrowser();
const clock = new FakeClock();
let sandbox: Api;
let live: Api;
let fixture: InvoiceFixture;
before(async () => {
  sandbox = await startApi();
  live = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
  fixture = await InvoiceFixture.open(live, clock);
});
after(async () => {
  await found.browser?.close();
  await fixture.stop();
  await live.stop();
  await sandbox.stop();
});

const HANDSET = { viewport: { width: 390, height: 720 }, deviceScaleFactor: 1.5 };
const WORD = 'DînerAnnuelSansAucuneEspace'.repeat(4);
const ORDER = {
  description: 'Deux paniers de mangues, livraison comprise',
  reference: 'ORDER-1042',
  items: [{ name: 'Panier de mangues', quantity: 2 }, { name: 'Livraison à Bonanjo' }],
  bearer: 'customer',
};

/** Opens a page, lets somebody do something there, and looks for faults. */
async function look(url: string, name: string, options: BrowserContextOptions, work: (page: Page) => Promise<unknown>) {
  const { context, page, complaints } = await newVisitor(found.browser ?? assert.fail(), options);
  await page.goto(url);
  await work(page);
  if (options.javaScriptEnabled !== false) assert.deepEqual(await axeFaults(page), [], name);
  const width = options.viewport?.width ?? PHONE.width;
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${name} is not wider than the screen`);
  assert.deepEqual(complaints, [], name);
  await keepPicture(page, name);
  await context.close();
}

/** Pays on the page, and goes from the result to the receipt. */
const payAndRead = (button: string, receipt: string) => async (page: Page) => {
  await page.locator('#phone').fill('650123467');
  await page.locator('details[open] form button').click();
  await page.getByRole('link', { name: button, exact: true }).click();
  await page.getByRole('heading', { name: receipt, exact: true }).waitFor();
};

describe('a receipt', { skip: found.missing ?? false }, () => {
  test('the receipt is one step from the result, fits 320 pixels, and has no axe violation', async () => {
    const { url } = await newPayment(sandbox, ORDER);
    await look(url, 'receipt-fr', { locale: 'fr-CM' }, async (page) => {
      await payAndRead('Voir le reçu', 'Reçu')(page);
      await page.getByText('•••• 67').waitFor();
    });
  });

  test('the receipt fits with very long words, no JavaScript and the colour of the merchant', async () => {
    const fields = {
      ...ORDER,
      reference: WORD.slice(0, 128),
      description: WORD,
      items: [{ name: WORD }],
      theming: { color: '#7a1f5c' },
    };
    const { url } = await newPayment(sandbox, fields);
    await look(url, 'receipt-no-script', { javaScriptEnabled: false }, payAndRead('View receipt', 'Receipt'));
  });

  test('the receipt after a refund, on a desktop, in another browser', async () => {
    const id = await paid(sandbox, { fields: ORDER });
    const body = { payment: id, amount: 10_000, reason: 'wrong_amount' };
    assert.equal((await sandbox.call('POST', '/refunds', { body })).status, 201);
    const url = addressOf(id);
    await look(`${url}/receipt`, 'receipt-refunded', { viewport: DESKTOP }, async (page) => {
      await page.getByText('Paid, partly refunded').waitFor();
      assert.doesNotMatch(await page.content(), /••••/);
    });
  });

  test('the printed receipt has no buttons, and no text that is legible only on a coloured background', async () => {
    const id = await paid(sandbox, { fields: ORDER });
    const url = addressOf(id);
    await look(`${url}/receipt`, 'receipt-print', { viewport: { width: 794, height: 1123 } }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.getByRole('link').first().isVisible(), false);
      assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('.head')).color`), 'rgb(17, 33, 45)');
      assert.match(await page.locator('.head').innerText(), /FCFA.25,500/);
    });
  });

  test('the receipt as a file downloaded by the browser', async () => {
    const { url } = await newPayment(sandbox, ORDER);
    const { context, page } = await newVisitor(found.browser ?? assert.fail(), { locale: 'fr-CM' });
    await page.goto(url);
    await payAndRead('Voir le reçu', 'Reçu')(page);
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Télécharger en PDF' }).click();
    const file = await coming;
    assert.match(file.suggestedFilename(), /^receipt-trx_test_\w+\.pdf$/);
    const pieces: Buffer[] = [];
    for await (const piece of await file.createReadStream()) pieces.push(piece as Buffer);
    assert.match(readPdf(Buffer.concat(pieces)).text, /Payé avec\nMTN Mobile Money •••• 67/);
    await context.close();
  });
});

function addressOf(id: string): string {
  return hostedPageUrl(sandbox.deps, sandbox.deps.stores.sandbox, sandbox.team.id, id);
}

describe('the QR code for the phone', { skip: found.missing ?? false }, () => {
  test('the code is shown on a desktop and not in a narrow window', async () => {
    const { url } = await newPayment(sandbox, { ...ORDER, bearer: 'merchant' });
    const code = (page: Page) => page.getByRole('img', { name: 'Pay on your phone' });
    await look(url, 'checkout-desktop', { viewport: DESKTOP }, (page) => code(page).waitFor());
    await look(url, 'checkout-narrow', {}, async (page) => assert.equal(await code(page).isVisible(), false));
  });
});

describe('pages that request a payment', { skip: found.missing ?? false }, () => {
  const INVOICE = {
    items: [
      { name: 'Mangues', description: 'cueillies ce matin', quantity: 12.5, unit_price: 8_500 },
      { name: 'Livraison à Bonanjo', unit_price: 2_000 },
    ],
    notes: 'Merci de votre commande.',
    reference: 'CMD-1042',
    allow_partial: true,
    min_amount: 5_000,
    due_date: '2099-01-31',
  };

  test('an invoice: open, partially paid and paid', async () => {
    const { url } = await fixture.createSent(INVOICE);
    await look(url, 'invoice-fr', { ...HANDSET, locale: 'fr-CM' }, async () => {});
    await look(url, 'invoice-print', { viewport: { width: 794, height: 1123 } }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.getByRole('button').first().isVisible(), false);
      assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('.what')).color`), 'rgb(17, 33, 45)');
    });
    await fixture.pay(url, '20000');
    await look(url, 'invoice-part-paid', { viewport: DESKTOP }, async () => {});
    await fixture.pay(url);
    await look(url, 'invoice-paid', HANDSET, async () => {});
  });

  test('a link: with its fields, and deactivated', async () => {
    const { live: keys } = await live.newMerchant({ verification_level: 1 });
    const fields = {
      title: 'Dîner annuel',
      description: 'Samedi à 19 h, salle des fêtes. Boissons comprises.',
      amount: null,
      min_amount: 5_000,
      collect: ['name', 'email', 'phone'],
      theming: { color: '#7a1f5c' },
    };
    const { id, url } = await newLink(live, keys.secret, fields);
    await look(url, 'link-fr', { ...HANDSET, locale: 'fr-CM' }, async () => {});
    await live.call('PATCH', `/links/${id}`, { key: keys.secret, body: { active: false } });
    await look(url, 'link-closed', HANDSET, async () => {});
  });
});
