import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { textsIn } from '../../src/edge/pages/language.ts';
import { type Api, startApi } from '../setup/api.ts';
import { DESKTOP, type Found, newVisitor, openBrowser, PHONE } from '../setup/browser.ts';
import { axeFaults } from '../pages/axe.ts';
import { newPayment } from './payer.ts';

/** After a decline the payer pays on the same page, with and without JavaScript. */
const found: Found = await openBrowser();
let api: Api;
before(async () => {
  api = await startApi();
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

const VARIANTS = [
  { name: 'with JavaScript, 320 px, English', javaScriptEnabled: true, viewport: PHONE, language: 'en', locale: 'en-GB' },
  { name: 'without JavaScript, desktop, French', javaScriptEnabled: false, viewport: DESKTOP, language: 'fr', locale: 'fr-CM' },
] as const;

describe('another try in a browser', { skip: found.missing ?? false }, () => {
  for (const { name, language, ...variant } of VARIANTS) {
    test(name, async () => {
      const { checkout: texts, reasons } = textsIn(language);
      const { sandbox } = await api.newMerchant({ hosted_retry: true });
      const callback = 'https://shop.example/thanks';
      const { url, id } = await newPayment(api, { callback, bearer: 'customer' }, sandbox.secret);
      const { page, complaints, context } = await newVisitor(found.browser as NonNullable<Found['browser']>, variant);
      const pay = (number: string) =>
        page
          .getByLabel(texts.phone)
          .fill(number)
          .then(() => page.locator('details[open] form button').click());
      // The shop does not exist; an answer without content leaves the browser on the page.
      await page.route(`${callback}**`, (route) => route.fulfill({ status: 204 }));
      await page.goto(url);
      await pay('650000001');
      await page.getByRole('alert').getByText(texts.tryAgain).waitFor();
      await page.getByText(reasons.insufficient_funds).waitFor();
      assert.ok((await page.title()).startsWith(texts.failedTitle));
      // The checker itself needs scripts.
      if (variant.javaScriptEnabled) assert.deepEqual(await axeFaults(page), []);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
      if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/retry-${language}.png`, fullPage: true });
      await pay('650000000');
      await page.waitForURL((address) => address.href !== url);
      await page.getByRole('heading', { name: texts.succeededTitle }).waitFor();
      const first = (await api.call('GET', `/payments/${id}`, { key: sandbox.secret })).body.transaction;
      const second = (await api.call('GET', `/payments/${first.retried_by}`, { key: sandbox.secret })).body.transaction;
      assert.deepEqual([first.status, second.status, second.amount_total], ['failed', 'succeeded', 25_500]);
      const link = await page.getByRole('link', { name: texts.returnTo('') }).getAttribute('href');
      assert.match(link ?? '', new RegExp(`id=${second.id}&trxref=${second.id}&status=succeeded`));
      const own = page.url();
      await page.goto(url);
      assert.equal(page.url(), own, 'the old address leads to the payment that succeeded');
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }
});
