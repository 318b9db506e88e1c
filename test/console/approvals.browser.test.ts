import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';
import { type Api, startApi } from '../setup/api.ts';
import { DESKTOP, type Found, newVisitor, openBrowser } from '../setup/browser.ts';
import { approvalPath, askRefund, openShop, press, refunds, sale, type Shop } from './approvals.ts';
import { formToken, type Person, signedIn } from './people.ts';

const HANDSET = { width: 360, height: 740 };
const found: Found = await openBrowser();
let api: Api;
let shop: Shop;
let pages: Record<string, string>;

before(async () => {
  api = await startApi();
  shop = await openShop(api);
  const { base, maker, checker, owner } = shop;
  const payment = await sale(shop);
  const [open, done, taken] = [
    await askRefund(shop, payment),
    await askRefund(shop, payment, '12000'),
    await askRefund(shop, payment, '20001'),
  ];
  await press(checker, done, 'approve');
  await press(maker, taken, 'withdraw');
  const keys = `${base}/developers/keys`;
  const form = { ...formToken((await owner.get(`${keys}/new`)).text), kind: 'secret' };
  const key = approvalPath(await owner.post(keys, form));
  const settings = `${base}/settings/approvals`;
  const threshold = approvalPath(await owner.submit(settings, settings, { currency: 'XOF', above: '500000' }));
  await signedIn(api, 'admin', shop.team);
  pages = { approvals: `${base}/approvals`, ...{ open, done, key, threshold }, ...{ settings, thresholds: settings } };
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

async function browserOf(person: Person, options: Parameters<typeof newVisitor>[1]) {
  const visitor = await newVisitor(found.browser as NonNullable<Found['browser']>, options);
  await visitor.context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: api.url })));
  return visitor;
}

const LOOKS = {
  desktop: { viewport: DESKTOP },
  handset: { viewport: HANDSET, colorScheme: 'dark', locale: 'fr-FR' },
} as const;

for (const [look, options] of Object.entries(LOOKS)) {
  test(`pages of approvals are accessible and fit: ${look}`, { skip: found.missing }, async () => {
    for (const person of [shop.checker, shop.owner]) {
      const { context, page, complaints } = await browserOf(person, options);
      for (const [name, path] of Object.entries(pages)) {
        const response = await page.goto(api.url + path);
        assert.equal(response?.status(), 200, name);
        assert.ok(((await response?.request().sizes())?.responseBodySize ?? Number.NaN) <= 40_000, name);
        assert.deepEqual(await axeFaults(page), [], name);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${name} is too wide`);
      }
      assert.deepEqual(complaints, []);
      if (look === 'desktop' && person === shop.checker) {
        await page.goto(api.url + pages.open);
        await keepPicture(page, 'console-approval');
      }
      await context.close();
    }
  });
}

test('a refund is asked for by one person and approved by another, without script too', { skip: found.missing }, async () => {
  for (const javaScriptEnabled of [true, false]) {
    const payment = await sale(shop);
    const asking = await browserOf(shop.maker, { viewport: DESKTOP, javaScriptEnabled });
    await asking.page.goto(`${api.url}${shop.base}/payments/${payment}/refund`);
    await asking.page.getByRole('button', { name: 'Refund' }).click();
    await asking.page.getByText('Nothing has happened yet').waitFor();
    assert.deepEqual(await refunds(shop, payment), []);
    const deciding = await browserOf(shop.checker, { viewport: DESKTOP, javaScriptEnabled });
    await deciding.page.goto(asking.page.url());
    await deciding.page.getByRole('button', { name: 'Approve' }).click();
    await deciding.page.getByText('You approved it.').waitFor();
    assert.deepEqual(
      (await refunds(shop, payment)).map(([amount]) => amount),
      [25_000],
    );
    assert.deepEqual([...asking.complaints, ...deciding.complaints], []);
    await Promise.all([asking.context.close(), deciding.context.close()]);
  }
});
