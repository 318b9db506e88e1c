import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { InvoiceFixture } from './fixture.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { type Found, newVisitor, openBrowser } from '../setup/browser.ts';
import { axeFaults } from '../pages/axe.ts';

/** The page of an invoice in a browser: on the smallest telephone, without JavaScript, for everybody. */
const clock = new FakeClock();
let api: Api;
let fixture: InvoiceFixture;
let found: Found;
before(async () => {
  api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
  fixture = await InvoiceFixture.open(api, clock);
  found = await openBrowser();
});
after(async () => {
  await found.browser?.close();
  await fixture.stop();
  await api.stop();
});

const INVOICE = {
  items: [
    { name: 'Mangoes', description: 'Amélie, by the kilogramme, picked this morning', quantity: 12.5, unit_price: 85_000 },
    { name: 'DeliveryToAVeryLongPlaceNameWithoutAnySpaceInItAtAllSoThatItMustBreak', unit_price: 2000 },
  ],
  notes: 'Thank you for your order.',
  reference: 'order-'.repeat(20),
  allow_partial: true,
  min_amount: 5000,
  due_date: '2099-01-31',
};

async function open(url: string, language: string, shot: string) {
  const browser = found.browser ?? assert.fail();
  const { context, page, complaints } = await newVisitor(browser, { viewport: { width: 320, height: 640 }, locale: language });
  await page.goto(url);
  const { SHOTS } = process.env;
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${shot}.png`, fullPage: true });
  assert.deepEqual(await axeFaults(page), [], shot);
  const width = await page.evaluate('document.documentElement.scrollWidth');
  assert.equal(width, 320, `${shot} is not wider than the screen`);
  assert.deepEqual(complaints, [], shot);
  await context.close();
}

describe('the page of an invoice', () => {
  test('it fits 320 pixels and axe finds no violation, in every state', async (t) => {
    if (!found.browser) return t.skip(found.missing);
    const { id, url } = await fixture.createSent(INVOICE);
    await open(url, 'fr', 'open');
    await fixture.pay(url, '5000');
    await open(url, 'en', 'partial');
    const { id: payment } = await fixture.submitForPayment(url, '6000');
    await fixture.merchant.charge(payment, { phone: '237653456129' });
    await open(url, 'fr', 'under-way');
    const other = await fixture.createSent();
    await fixture.pay(other.url);
    await open(other.url, 'fr', 'paid');
    const gone = await fixture.createSent();
    await fixture.call('POST', `/invoices/${gone.id}/cancel`);
    await open(gone.url, 'en', 'cancelled');
    await open(`${api.url}/invoice/none`, 'fr', 'unknown');
    assert.equal((await fixture.invoice(id)).status, 'partial');
  });

  test('it links to the hosted page and back without JavaScript', async (t) => {
    if (!found.browser) return t.skip(found.missing);
    const { id, url } = await fixture.createSent(INVOICE);
    const options = { viewport: { width: 320, height: 640 }, javaScriptEnabled: false, locale: 'en' };
    const { context, page } = await newVisitor(found.browser, options);
    await page.goto(url);
    await page.getByLabel('Amount').fill('1');
    await page.getByRole('button', { name: 'Pay part of it' }).click();
    await page.getByText('Enter an amount within these limits.').waitFor();
    assert.equal(await page.getByLabel('Amount').inputValue(), '1');
    await page.getByLabel('Amount').fill('5 000');
    await page.getByRole('button', { name: 'Pay part of it' }).click();
    await page.waitForURL(/\/pay\//);
    const { payment } = await fixture.invoice(id);
    await fixture.merchant.charge(payment);
    await fixture.merchant.waitForStatus(`/payments/${payment}`, 'succeeded');
    await page.reload();
    await page.getByRole('link', { name: /Chez Awa/ }).click();
    await page.waitForURL(/\/invoice\//);
    await page.getByText('Left to pay').waitFor();
    await context.close();
  });
});
