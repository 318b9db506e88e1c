import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newPayment, Payer } from '../checkout/payer.ts';
import { newLink } from './browser.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { type Found, newVisitor, openBrowser } from '../setup/browser.ts';
import { axeFaults } from '../pages/axe.ts';

/** The page of a payment link, and the hosted page that offers a saved number, in a browser: small, and without JavaScript. */
let api: Api;
let key: string;
let found: Found;
before(async () => {
  api = await startApi();
  key = (await api.newMerchant({ verification_level: 1 })).live.secret;
  found = await openBrowser();
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

/** A page that must fit 320 pixels, have no fault that axe finds, and complain of nothing. */
async function visited(url: string, shot: string, work: (page: Page) => Promise<void> = async () => {}, options = {}) {
  const { context, page, complaints } = await newVisitor(found.browser ?? assert.fail(), { locale: 'fr-CM', ...options });
  await page.goto(url);
  await work(page);
  const { SHOTS } = process.env;
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${shot}.png`, fullPage: true });
  if (!('javaScriptEnabled' in options)) {
    assert.deepEqual(await axeFaults(page), [], shot);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, `${shot} is not wider than the screen`);
  }
  assert.deepEqual(complaints, [], shot);
  await context.close();
}

type Page = Awaited<ReturnType<typeof newVisitor>>['page'];

const FIELDS = {
  amount: null,
  min_amount: 500,
  collect: ['name', 'email', 'phone'],
  title: 'DînerAnnuelSansAucuneEspace'.repeat(4),
};

describe('the page of a payment link', () => {
  test('it fits 320 pixels and axe finds no violation: form, errors, closed', async (t) => {
    if (!found.browser) return t.skip(found.missing);
    const { id, url } = await newLink(api, key, FIELDS);
    await visited(url, 'link-open');
    await visited(url, 'link-wrong', async (page) => {
      await page.fill('[name=amount]', '5.000');
      await page.fill('[name=name]', 'Awa');
      await page.fill('[name=email]', 'awa@example.com');
      await page.fill('[name=phone]', '12');
      await Promise.all([page.waitForNavigation(), page.click('button')]);
    });
    await api.call('PATCH', `/links/${id}`, { key, body: { active: false } });
    await visited(url, 'link-closed');
  });

  test('it leads to the hosted page without JavaScript', async (t) => {
    if (!found.browser) return t.skip(found.missing);
    const { url } = await newLink(api, key, { theming: { color: '#7a1f5c' } });
    const pay = async (page: Page) => {
      await page.fill('[name=phone]', '670100000');
      await Promise.all([page.waitForNavigation(), page.click('button')]);
      assert.match(page.url(), /\/pay\//);
    };
    await visited(url, 'link-paid', pay, { javaScriptEnabled: false });
  });
});

describe('a number that was saved', () => {
  const open = async () => (await newPayment(api, { phone: undefined, email: 'awa@example.com' })).url;

  test('ticking the box saves it, the next visit offers it first and one tap pays with it; without JavaScript', async (t) => {
    if (!found.browser) return t.skip(found.missing);
    const remember = async (page: Page) => {
      await page.fill('[name=phone]', '650123467');
      await page.check('[name=remember]');
      await Promise.all([page.waitForNavigation(), page.click('button')]);
    };
    const first = await open();
    await visited(first, 'saved-ticked', remember, { javaScriptEnabled: false });
    await until(
      () => new Payer(first).get(),
      ({ body }) => /Payment successful/.test(body),
    );
    const second = await open();
    await visited(second, 'saved-offered', async (page) => {
      await page.click('summary:has-text("•••• 67")', { trial: true });
    });
    await visited(second, 'saved-paid', (page) => Promise.all([page.waitForNavigation(), page.click('button')]).then(() => {}), {
      javaScriptEnabled: false,
    });
    await until(
      () => new Payer(second).get(),
      ({ body }) => /Payment successful/.test(body),
    );
  });
});
