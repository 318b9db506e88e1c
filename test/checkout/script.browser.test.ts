import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { newPayment } from './payer.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { type Found, newVisitor, openBrowser } from '../setup/browser.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { GUESSES } from './guesses.ts';

const provider: TestProvider = {
  name: 'waiting',
  collects: () => true,
  submit: async ({ channel }) => {
    const instructions = { bank: 'Afriland First Bank', account_number: '10005 00001 02345678901 28', reference: 'PRG-7K2M9' };
    const next = channel.kind === 'bank' ? ({ kind: 'transfer', instructions } as const) : ({ kind: 'confirm' } as const);
    return { kind: 'accepted', provider_ref: 'p', next, poll_after_ms: 3_600_000 };
  },
  read: async () => ({ kind: 'pending', poll_after_ms: 3_600_000 }),
};

const found: Found = await openBrowser();
const browser = found.browser as Browser;
let api: Api;
before(async () => {
  // Time stands still, so that a window of five minutes is one of five minutes however long the page takes to come.
  api = await startApi({ clock: new FakeClock(), providers: new Registry({ sandbox: [provider], live: [] }) });
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

const pay = (page: Page) => page.locator('details[open] form button').click();

/** The chosen tile; an empty text for none. */
const operator = (page: Page) =>
  page.evaluate<string>("(document.querySelector('[name=channel][type=radio]:checked') || { value: '' }).value");

describe('behaviour of the page script', { skip: found.missing ?? false, concurrency: 4 }, () => {
  for (const currency of new Set(GUESSES.map((guess) => guess.currency))) {
    test(`the operator of numbers typed for ${currency}, as the server would guess it`, async () => {
      const { url } = await newPayment(api, { currency, phone: undefined, email: 'p@example.com' });
      const { page, context } = await newVisitor(browser);
      await page.goto(url);
      for (const { typed, channel } of GUESSES.filter((guess) => guess.currency === currency)) {
        await page.getByLabel('Phone number').fill(typed);
        assert.equal(await operator(page), channel ?? '', typed);
      }
      await context.close();
    });
  }

  test('the choice of the payer is kept, whatever is typed afterwards', async () => {
    const { url } = await newPayment(api);
    const { page, context } = await newVisitor(browser);
    await page.goto(url);
    assert.equal(await operator(page), 'cm.mtn', 'of the number the merchant gave');
    await page.getByRole('radio', { name: 'Orange Money' }).check();
    await page.getByLabel('Phone number').fill('650000000');
    assert.equal(await operator(page), 'cm.orange');
    await page.getByLabel('Phone number').fill('');
    await page.getByLabel('Phone number').fill('650000001');
    assert.equal(await operator(page), 'cm.mtn', 'until the number is deleted');
    await context.close();
  });

  test('brand and checksum of a card are shown while it is typed', async () => {
    const { url } = await newPayment(api);
    const { page, context } = await newVisitor(browser);
    await page.goto(url);
    await page.locator('summary', { hasText: 'Card' }).click();
    const number = page.getByLabel('Card number');
    const brand = page.locator('label[for=number] .brand');
    await number.pressSequentially('4242424242424241');
    assert.equal(await number.inputValue(), '4242 4242 4242 4241');
    assert.equal(await brand.textContent(), 'Visa');
    await page.getByText('Check the number: a digit is wrong.').waitFor();
    await number.press('Backspace');
    await number.pressSequentially('2');
    await page.getByText('Check the number').waitFor({ state: 'hidden' });
    await number.fill('5555555555554444');
    assert.equal(await brand.textContent(), 'Mastercard');
    await page.getByLabel('Expiry date').pressSequentially('1230');
    assert.equal(await page.getByLabel('Expiry date').inputValue(), '12/30');
    await context.close();
  });

  test('account number and reference of a transfer can be copied', async () => {
    const { url } = await newPayment(api);
    const { page, context } = await newVisitor(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(url);
    await page.locator('summary', { hasText: 'Bank transfer' }).click();
    await page.getByLabel('Account number').fill('10002000000000');
    await pay(page);
    await page.getByRole('button', { name: 'Copy: Reference' }).click();
    await page.getByText('Copied').waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'PRG-7K2M9');
    await context.close();
  });

  test('the window of the operator is counted down, and at its end the page says not to pay again', async () => {
    const { url } = await newPayment(api);
    const { page, context } = await newVisitor(browser);
    await page.clock.install();
    // Later than now: its time passes only where the test says so.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.goto(url);
    await pay(page);
    await page.getByRole('heading', { name: 'Confirm on your phone' }).waitFor();
    await page.clock.runFor(60_000);
    assert.match((await page.locator('.left').textContent()) ?? '', /^(4:00|3:5\d)$/);
    assert.equal(await page.getByText('Do not pay again').isVisible(), false);
    await page.clock.runFor(241_000);
    await page.getByText('Do not pay again').waitFor();
    assert.equal(await page.locator('.steps').isVisible(), false);
    await context.close();
  });

  test('the language can be changed on the page, and the choice is kept', async () => {
    const { url } = await newPayment(api);
    const { page, context } = await newVisitor(browser);
    await page.goto(url);
    await page.getByRole('link', { name: 'Français' }).click();
    await page.getByRole('heading', { name: 'Comment souhaitez-vous payer' }).waitFor();
    assert.equal(page.url(), url);
    await pay(page);
    await page.getByRole('heading', { name: 'Confirmez sur votre téléphone' }).waitFor();
    await context.close();
  });
});
